//! As many skills as a large organisation has: the real ones, and variations of them.

use super::labelled::Skill;

/// Words that occur nowhere else, as names of products and people do in real texts.
const RARE_WORDS: usize = 60_000;

/// The first are the real ones. Every other has the description and every second line of one, lines
/// of another between them, and a few rare words.
pub(crate) fn many(real: &[Skill], count: usize) -> Vec<Skill> {
    let mut state = 5;
    let mut random = |below: usize| {
        state = (state * 6_364_136_223_846_793_005_u128 + 1_442_695_040_888_963_407) % (1 << 64);
        usize::try_from(state >> 33).unwrap() % below
    };
    let mut skills: Vec<Skill> = real.iter().take(count).cloned().collect();
    for number in skills.len()..count {
        let mut skill = real[number % real.len()].clone();
        let other = &real[random(real.len())];
        skill.id = format!("{}-{}", skill.id, number / real.len());
        skill.description += " For ";
        skill.description += &rare(random(RARE_WORDS));
        let mut others = other.body.lines();
        let mut body = String::new();
        for (line, own) in skill.body.lines().enumerate() {
            let taken = if line % 2 == 1 { others.next() } else { None };
            body += taken.unwrap_or(own);
            body += "\n";
        }
        for _ in 0..12 {
            body += &rare(random(RARE_WORDS));
            body += " ";
        }
        skill.body = body;
        skills.push(skill);
    }
    skills
}

fn rare(mut number: usize) -> String {
    let syllables = [
        "ba", "ke", "lo", "mi", "nu", "ra", "se", "ti", "vo", "za", "dor", "fen",
    ];
    let mut word = String::new();
    while word.len() < 5 || number > 0 {
        word += syllables[number % syllables.len()];
        number /= syllables.len();
    }
    word
}
