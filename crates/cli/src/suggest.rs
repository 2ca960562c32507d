//! "Did you mean": the known word that is nearest to a mistyped one.

/// The best candidate, if one is near enough to be meant.
pub(crate) fn nearest<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let word: Vec<char> = word.to_lowercase().chars().take(LONGEST).collect();
    let most = (word.len() / 3).clamp(1, 4);
    let near =
        candidates.into_iter().map(|it| (distance(&word, it), it)).filter(|(far, _)| *far <= most);
    near.min_by_key(|(far, _)| *far).map(|(_, it)| it)
}

/// Nobody means a longer word.
const LONGEST: usize = 64;

/// How many characters must be inserted, deleted, replaced, or exchanged with their neighbour; case does not count.
fn distance(a: &[char], b: &str) -> usize {
    let b: Vec<char> = b.to_lowercase().chars().take(LONGEST).collect();
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 0..a.len() {
        let mut row = vec![i + 1];
        for j in 0..b.len() {
            let mut best =
                (last[j] + usize::from(a[i] != b[j])).min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j] {
                best = best.min(before[j - 1] + 1);
            }
            row.push(best);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn typing_errors_find_their_word_and_strangers_none() {
        let words = ["WaveActiveSum", "WaveActiveMin", "QuadAny", "--groups"];
        for (typed, meant) in [
            ("WaveActiveSun", Some("WaveActiveSum")),
            ("waveactivesum", Some("WaveActiveSum")),
            ("WaveAcitveMin", Some("WaveActiveMin")),
            ("--group", Some("--groups")),
            ("QuadAmy", Some("QuadAny")),
            ("Barrier", None),
            ("", None),
        ] {
            assert_eq!(nearest(typed, words), meant, "{typed}");
        }
    }
}
