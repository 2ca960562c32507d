//! placeholder
pub fn sin(x: f32) -> f32 { x }
pub fn cos(x: f32) -> f32 { x }
pub fn tan(x: f32) -> f32 { x }
pub fn asin(x: f32) -> f32 { x }
pub fn acos(x: f32) -> f32 { x }
pub fn atan(x: f32) -> f32 { x }
pub fn sinh(x: f32) -> f32 { x }
pub fn cosh(x: f32) -> f32 { x }
pub fn tanh(x: f32) -> f32 { x }
pub fn exp(x: f32) -> f32 { x }
pub fn exp2(x: f32) -> f32 { x }
pub fn log(x: f32) -> f32 { x }
pub fn log2(x: f32) -> f32 { x }
pub fn log10(x: f32) -> f32 { x }
pub fn rsqrt(x: f32) -> f32 { x }
pub fn atan2(x: f32, _y: f32) -> f32 { x }
pub fn pow(x: f32, _y: f32) -> f32 { x }
