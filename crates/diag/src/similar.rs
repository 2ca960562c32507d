//! "Did you mean": the known word that is nearest to a misspelt one.
//!
//! The edit distance counts characters inserted, removed, replaced or swapped with their neighbour; a difference in
//! case counts less. Words too far away are not suggested: a wrong suggestion is worse than none.

/// The best candidate, if one is near enough; of several equally near ones the alphabetically first.
pub fn most_similar<'n>(
    word: &str,
    candidates: impl IntoIterator<Item = &'n str>,
) -> Option<&'n str> {
    best(word, &mut candidates.into_iter())
}

/// It does not depend on the type of the iterator, of which there are many.
fn best<'n>(word: &str, candidates: &mut dyn Iterator<Item = &'n str>) -> Option<&'n str> {
    let scored = candidates.filter_map(|it| Some((similarity(word, it)?, it)));
    scored.min().map(|(_, it)| it)
}

/// Longer words are never suggested.
const LONGEST: usize = 64;

/// The distance of a candidate from a word, 0 if only the case differs; `None` if too far, and for the word itself.
pub fn similarity(word: &str, candidate: &str) -> Option<usize> {
    // The length in bytes bounds the characters, so that huge words are not examined.
    if word == candidate || word.is_empty() || word.len().max(candidate.len()) > 4 * LONGEST {
        return None;
    }
    let typed: Vec<char> = word.chars().collect();
    let known: Vec<char> = candidate.chars().collect();
    let longer = typed.len().max(known.len());
    let most = (longer / 3).clamp(1, 3);
    if longer > LONGEST || longer - typed.len().min(known.len()) > most {
        return None;
    }
    let lower = |it: &[char]| -> Vec<char> { it.iter().flat_map(|it| it.to_lowercase()).collect() };
    let (a, b) = (lower(&typed), lower(&known));
    if a == b {
        return Some(0);
    }
    // In a word of two letters, one wrong letter leaves too little to recognise.
    if longer < 3 {
        return None;
    }
    let edits = edits(&a, &b);
    (edits <= most && edits < longer).then_some(edits)
}

fn edits(a: &[char], b: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, y) in b.iter().enumerate() {
            let mut least = (last[j + 1] + 1).min(row[j] + 1).min(last[j] + usize::from(x != y));
            if i > 0 && j > 0 && *x == b[j - 1] && a[i - 1] == *y {
                least = least.min(before[j - 1] + 1);
            }
            row.push(least);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::most_similar;

    #[test]
    fn typos_find_their_word_and_unrelated_words_find_none() {
        let words = ["WaveActiveSum", "WaveActiveMin", "QuadAny", "--groups", "count", "x", "max"];
        for (typed, meant) in [
            ("WaveActiveSun", Some("WaveActiveSum")),
            ("waveactivesum", Some("WaveActiveSum")),
            ("WaveAcitveMin", Some("WaveActiveMin")),
            ("--group", Some("--groups")),
            ("QuadAmy", Some("QuadAny")),
            ("cuont", Some("count")),
            ("X", Some("x")),
            ("y", None),
            ("Barrier", None),
            ("count", None),
            ("", None),
            ("äöü", None),
        ] {
            assert_eq!(most_similar(typed, words), meant, "{typed}");
        }
    }
}
