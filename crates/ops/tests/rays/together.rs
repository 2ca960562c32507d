//! Queries that proceed together answer what each answers alone, whatever is beside it: other scenes, other flags,
//! queries that are new, over or offered a candidate.

use wavelane_ops::Random;
use wavelane_ops::ray::{
    Instance, Portable, Proceeding, Query, Ray, Scene, Search, State, Status, proceed_together,
    ray_flag,
};

use crate::scenes::{one, triangles};
use crate::trees::{ray, scene};

/// Queries with their scenes, and what they are answered.
struct Wave<'s> {
    queries: Vec<(Query, Option<&'s Scene>)>,
    /// Those that proceed.
    active: Vec<usize>,
    answers: Vec<(usize, bool)>,
}

impl<'s> Proceeding<'s> for Wave<'s> {
    type Handle = usize;

    fn next(&mut self) -> Option<usize> {
        self.active.pop()
    }

    fn query(&mut self, place: usize) -> (&mut Query, Option<&'s Scene>) {
        let (query, scene) = &mut self.queries[place];
        (query, *scene)
    }

    fn answer(&mut self, place: usize, proceeds: bool) {
        self.answers.push((place, proceeds));
    }
}

/// A query of a generated ray; some are new, some have no scene, and some rays are not sound.
fn query<'s>(random: &mut Random, scenes: &'s [Scene]) -> (Query, Option<&'s Scene>) {
    let scene = random.pick(scenes);
    let mut query = Query::default();
    if random.one_in(16) {
        return (query, Some(scene));
    }
    let mut ray = ray(random, scene, 1.0);
    match random.below(24) {
        0 => ray.origin[random.below(3)] = f32::NAN,
        1 => ray.direction[random.below(3)] = f32::NAN,
        2 => ray.direction = [0.0; 3],
        3 => ray.t_min = f32::NAN,
        _ => {}
    }
    let any = ray_flag::FORCE_OPAQUE | ray_flag::ACCEPT_FIRST_HIT_AND_END_SEARCH;
    let some = random.below(0x400) as u32;
    let flags = *random.pick(&[0, some, any]);
    query.trace(flags, *random.pick(&[0xff, 0xff, 1, 0]), ray);
    (query, (!random.one_in(16)).then_some(scene))
}

#[test]
fn queries_find_together_what_they_find_alone() {
    let mut random = Random::new(45);
    let (mut offers, mut hits) = (0, 0);
    for _ in 0..600 {
        let scenes = [(); 3].map(|()| scene(&mut random, 1.0));
        // Fewer than advance in turns, as many, and more.
        let width = *random.pick(&[1, 2, 4, 5, 32]);
        let queries: Vec<_> = (0..width).map(|_| query(&mut random, &scenes)).collect();
        let mut wave = Wave { queries, active: Vec::new(), answers: Vec::new() };
        // Queries that are over stay: to proceed once more is answered, too.
        for _ in 0..6 {
            let search = *random.pick(&[Search::TREE, Search::TREE, Search::ANY, Search::BRUTE]);
            let before = wave.queries.clone();
            let active: Vec<usize> = (0..width).filter(|_| !random.one_in(4)).collect();
            wave.active = active.clone();
            proceed_together::<Portable>(&mut wave, &search);
            wave.answers.sort_unstable();
            assert!(wave.answers.iter().map(|it| it.0).eq(active), "each is answered once");
            for (place, proceeds) in wave.answers.drain(..) {
                let (mut alone, scene) = before[place];
                assert_eq!(alone.proceed(scene, &search), proceeds);
                let (together, _) = &mut wave.queries[place];
                assert_eq!(format!("{alone:?}"), format!("{together:?}"));
                offers += usize::from(proceeds);
                hits += usize::from(together.status() != Status::Nothing);
                if together.state() == State::CandidateTriangle && random.one_in(2) {
                    together.commit_triangle();
                }
            }
        }
    }
    assert!(offers > 100 && hits > 400, "{offers} offers, {hits} hits");
}

/// A search that ends at its first hit leaves instances unvisited. The next search in its turn enters none of its
/// scene.
#[test]
fn leftovers_of_an_ended_search_are_forgotten() {
    let bottom = triangles(&[[0.0, 1.0, 1.0], [1.0, -1.0, 1.0], [-1.0, -1.0, 1.0]], 1);
    let instance = Instance { bottom: Some(bottom.clone()), ..Instance::default() };
    let (many, single) = (Scene::build(&vec![instance; 50]).unwrap(), one(bottom));
    let ray = Ray { origin: [0.0; 3], t_min: 0.0, direction: [0.0, 0.0, 1.0], t_max: 2.0 };
    let queries = (0..32).map(|lane| {
        let (mask, scene) = if lane % 3 == 0 { (0, &single) } else { (0xff, &many) };
        let mut query = Query::default();
        query.trace(ray_flag::FORCE_OPAQUE | ray_flag::ACCEPT_FIRST_HIT_AND_END_SEARCH, mask, ray);
        (query, Some(scene))
    });
    let active = (0..32).collect();
    let mut wave = Wave { queries: queries.collect(), active, answers: Vec::new() };
    proceed_together::<Portable>(&mut wave, &Search::ANY);
    for (lane, (query, _)) in wave.queries.iter().enumerate() {
        assert_eq!(query.status() == Status::Nothing, lane % 3 == 0, "{lane}");
    }
}
