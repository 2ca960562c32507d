//! The waves of a recording: a list, or a log that becomes one when it is first looked at.

use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::OnceLock;

use crate::log::Log;
use crate::recorder::Wave;

/// A list of waves.
#[derive(Clone, Default)]
pub struct Waves {
    log: Option<Log>,
    list: OnceLock<Vec<Wave>>,
}

impl Waves {
    pub(crate) fn of(log: Log) -> Waves {
        Waves { log: Some(log), list: OnceLock::new() }
    }

    fn made(&self) -> Vec<Wave> {
        self.log.as_ref().map_or_else(Vec::new, Log::waves)
    }
}

impl Deref for Waves {
    type Target = Vec<Wave>;

    fn deref(&self) -> &Vec<Wave> {
        self.list.get_or_init(|| self.made())
    }
}

impl DerefMut for Waves {
    fn deref_mut(&mut self) -> &mut Vec<Wave> {
        if self.list.get().is_none() {
            self.list = self.made().into();
        }
        self.log = None;
        let Some(list) = self.list.get_mut() else { unreachable!("it has just been made") };
        list
    }
}

impl From<Vec<Wave>> for Waves {
    fn from(list: Vec<Wave>) -> Waves {
        Waves { log: None, list: list.into() }
    }
}

impl PartialEq for Waves {
    fn eq(&self, other: &Waves) -> bool {
        **self == **other
    }
}

impl fmt::Debug for Waves {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}
