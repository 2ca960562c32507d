//! Bounds the size of a recording's file: the least important parts are dropped first, and what was dropped is marked.

use crate::recorder::{Read, Recording, Wave, Write};

/// The steps around the first finding or difference of which values are kept longest.
const AROUND: u32 = 1000;

/// Drops values and steps until `render` gives at most `most` bytes; returns these. `Err` has the bytes that the
/// program alone takes.
pub fn fit(
    recording: &mut Recording,
    most: usize,
    render: &dyn Fn(&Recording) -> Vec<u8>,
) -> Result<Vec<u8>, usize> {
    let stages: [fn(&mut Recording); 2] = [keep_window, |it| keep_values(it, |_, _| false)];
    let mut bytes = render(recording);
    for stage in stages {
        if bytes.len() <= most {
            return Ok(bytes);
        }
        stage(recording);
        bytes = render(recording);
    }
    let mut longest = recording.waves.iter().map(|it| it.steps.len()).max().unwrap_or(0);
    while bytes.len() > most && longest > 0 {
        longest /= 2;
        for finding in &mut recording.findings {
            finding.at = finding.at.filter(|it| (it.1 as usize) < longest);
        }
        for difference in recording.comparison.iter_mut().flat_map(|it| &mut it.differences) {
            difference.at = difference.at.filter(|it| (it.1 as usize) < longest);
        }
        for wave in recording.waves.iter_mut() {
            recording.complete &= wave.steps.len() <= longest;
            wave.steps.truncate(longest);
        }
        bytes = render(recording);
    }
    if bytes.len() <= most { Ok(bytes) } else { Err(bytes.len()) }
}

/// Keeps the values around the first finding or the first difference, or of the first group.
fn keep_window(recording: &mut Recording) {
    let differences = recording.comparison.iter().flat_map(|it| &it.differences);
    let finding = recording.findings.iter().find_map(|it| it.at);
    let finding = finding.or(differences.into_iter().find_map(|it| it.at));
    let first = recording.waves.first().map(|it| it.group);
    let groups: Vec<[u32; 3]> = recording.waves.iter().map(|it| it.group).collect();
    keep_values(recording, |wave, step| match finding {
        Some((of, at)) => of as usize == wave && at.abs_diff(step) <= AROUND,
        None => Some(groups[wave]) == first,
    });
}

fn keep_values(recording: &mut Recording, keeps: impl Fn(usize, u32) -> bool) {
    let mut left_out = false;
    for (number, wave) in recording.waves.iter_mut().enumerate() {
        let mut kept = Wave { steps: Vec::with_capacity(wave.steps.len()), ..Wave::default() };
        if keeps(number, 0) {
            wave.early_writes().iter().for_each(|it| copy(wave, it, &mut kept));
            wave.early_reads().iter().for_each(|it| copy_read(wave, it, &mut kept));
        }
        for (at, step) in wave.steps.iter().enumerate() {
            let (writes, reads) = (kept.writes.len() as u32, kept.reads.len() as u32);
            kept.steps.push(crate::Step { writes, reads, ..*step });
            if !keeps(number, at as u32) {
                continue;
            }
            wave.writes_of(at).iter().for_each(|it| copy(wave, it, &mut kept));
            wave.reads_of(at).iter().for_each(|it| copy_read(wave, it, &mut kept));
        }
        left_out |= kept.writes.len() < wave.writes.len() || kept.reads.len() < wave.reads.len();
        (wave.steps, wave.writes, wave.values) = (kept.steps, kept.writes, kept.values);
        (wave.reads, wave.sources) = (kept.reads, kept.sources);
    }
    recording.has_all_values &= !left_out;
}

fn copy(wave: &Wave, write: &Write, to: &mut Wave) {
    let count = write.lanes.count() as usize;
    let values = &wave.values[write.values as usize..][..count];
    to.writes.push(Write { values: to.values.len() as u32, ..*write });
    to.values.extend_from_slice(values);
}

fn copy_read(wave: &Wave, read: &Read, to: &mut Wave) {
    to.reads.push(Read { sources: to.sources.len() as u32, ..*read });
    to.sources.extend(wave.pairs(read).map(|it| it.1));
}

#[cfg(test)]
mod tests {
    use ops::LaneMask;

    use super::*;

    #[test]
    fn a_wave_without_steps_keeps_its_initial_lanes() {
        let write = Write {
            variable: 0,
            scalar: 0,
            lanes: LaneMask(3),
            poison: LaneMask::EMPTY,
            values: 0,
        };
        let wave = Wave { writes: vec![write], values: vec![5, 6], ..Wave::default() };
        let mut recording = Recording { waves: vec![wave.clone()].into(), ..Recording::default() };
        keep_window(&mut recording);
        assert_eq!(*recording.waves, [wave]);
    }
}
