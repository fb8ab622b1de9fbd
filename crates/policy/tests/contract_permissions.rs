//! Rows P1 to P6 and P8 of the contract, and a million random policies.
#![cfg(test)]

use prowess_policy::{
    ContentDigest, Contents, Decision, Denial, Effect, Grant, Grants, Lifetime, Subject,
    TurnLimits, Usage, decide,
};
use prowess_spec::manifest::{Keyword, Permission};

fn subject(content: u8) -> Subject {
    Subject {
        skill: "k8s".to_owned(),
        content: ContentDigest([content; 32]),
    }
}

fn grant(content: u8, permission: Permission, effect: Effect, lifetime: Lifetime) -> Grant {
    Grant {
        skill: "k8s".to_owned(),
        contents: Contents::Exactly(ContentDigest([content; 32])),
        right: permission.into(),
        effect,
        lifetime,
    }
}

const EXEC: Permission = Permission::ShellExec;
const READ: Permission = Permission::FileRead;

#[test]
fn p1_declared_and_approved() {
    for lifetime in [Lifetime::Session, Lifetime::Always] {
        let mut grants = Grants::new();
        grants.insert(grant(1, EXEC, Effect::Allow, lifetime));
        assert_eq!(
            decide(&subject(1), &[EXEC], &grants, EXEC),
            Decision::Allowed
        );
        grants.end_session();
        let after = decide(&subject(1), &[EXEC], &grants, EXEC) == Decision::Allowed;
        assert_eq!(after, lifetime == Lifetime::Always);
    }
}

#[test]
fn p2_not_approved_or_not_declared() {
    let none = Grants::new();
    let denied = decide(&subject(1), &[EXEC], &none, EXEC);
    assert_eq!(denied, Decision::Denied(Denial::NotApproved(EXEC)));
    let everything: Grants = Permission::ALL
        .iter()
        .map(|permission| Grant {
            contents: Contents::Any,
            ..grant(1, *permission, Effect::Allow, Lifetime::Always)
        })
        .collect();
    let undeclared = decide(&subject(1), &[EXEC], &everything, READ);
    assert_eq!(undeclared, Decision::Denied(Denial::NotDeclared(READ)));
    assert_eq!(Denial::NotDeclared(READ).code(), "not-declared");
    assert_eq!(
        Denial::NotApproved(READ).to_string(),
        "`file:read` is not approved for this skill"
    );
}

#[test]
fn p3_changed_content_is_undecided() {
    let grants: Grants = [grant(1, EXEC, Effect::Allow, Lifetime::Always)]
        .into_iter()
        .collect();
    assert_eq!(grants.undecided(&subject(1), &[EXEC]), []);
    assert_eq!(grants.undecided(&subject(2), &[EXEC]), [EXEC]);
    assert_ne!(
        decide(&subject(2), &[EXEC], &grants, EXEC),
        Decision::Allowed
    );
}

#[test]
fn p4_an_added_permission_is_undecided() {
    let grants: Grants = [grant(1, EXEC, Effect::Allow, Lifetime::Always)]
        .into_iter()
        .collect();
    assert_eq!(grants.undecided(&subject(1), &[EXEC, READ]), [READ]);
}

#[test]
fn p5_a_revoked_permission_is_denied() {
    let mut grants: Grants = [
        grant(1, EXEC, Effect::Allow, Lifetime::Always),
        grant(1, READ, Effect::Allow, Lifetime::Always),
    ]
    .into_iter()
    .collect();
    grants.revoke("k8s", EXEC);
    assert_eq!(
        decide(&subject(1), &[EXEC, READ], &grants, EXEC),
        Decision::Denied(Denial::NotApproved(EXEC))
    );
    assert_eq!(
        decide(&subject(1), &[EXEC, READ], &grants, READ),
        Decision::Allowed
    );
}

#[test]
fn p6_a_removed_skill_leaves_no_approval() {
    let other = Grant {
        skill: "helm".to_owned(),
        ..grant(1, EXEC, Effect::Allow, Lifetime::Always)
    };
    let any_content = Grant {
        contents: Contents::Any,
        ..grant(1, READ, Effect::Allow, Lifetime::Always)
    };
    let mut grants: Grants = [
        grant(1, EXEC, Effect::Allow, Lifetime::Always),
        grant(2, EXEC, Effect::Allow, Lifetime::Session),
        any_content,
        other.clone(),
    ]
    .into_iter()
    .collect();
    assert_eq!(grants.undecided(&subject(1), &[EXEC, READ]), []);
    grants.forget("k8s");
    // The same bytes and another skill of that name are both asked for everything.
    for content in [1, 2, 3] {
        let subject = subject(content);
        assert_eq!(grants.undecided(&subject, &[EXEC, READ]), [EXEC, READ]);
        for permission in [EXEC, READ] {
            assert_eq!(
                decide(&subject, &[EXEC, READ], &grants, permission),
                Decision::Denied(Denial::NotApproved(permission))
            );
        }
    }
    assert_eq!(grants.iter().collect::<Vec<_>>(), [&other]);
}

#[test]
fn p8_limit_per_turn() {
    let limits = TurnLimits {
        shell_execs: 2,
        ..TurnLimits::default()
    };
    let mut turn = Usage::default();
    assert_eq!(turn.take(EXEC, &limits), Decision::Allowed);
    assert_eq!(turn.take(EXEC, &limits), Decision::Allowed);
    let Decision::Denied(denial) = turn.take(EXEC, &limits) else {
        unreachable!("the third was allowed");
    };
    assert_eq!(denial.code(), "rate-limited");
    assert!(denial.to_string().contains("2 times"));
    assert_eq!(turn.take(READ, &limits), Decision::Allowed);
    assert_eq!(Usage::default().take(EXEC, &limits), Decision::Allowed);
    let none = TurnLimits {
        shell_execs: 0,
        ..limits
    };
    assert_ne!(Usage::default().take(EXEC, &none), Decision::Allowed);
}

/// Numbers that are the same on every run.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }

    fn permission(&mut self) -> Permission {
        // Few enough that grants meet questions.
        let index = usize::try_from(self.below(3)).unwrap();
        Permission::ALL[index]
    }

    fn grant(&mut self) -> Grant {
        Grant {
            skill: if self.below(4) == 0 { "other" } else { "k8s" }.to_owned(),
            contents: match self.below(3) {
                0 => Contents::Any,
                content => Contents::Exactly(ContentDigest([u8::try_from(content).unwrap(); 32])),
            },
            right: self.permission().into(),
            effect: if self.below(3) == 0 {
                Effect::Deny
            } else {
                Effect::Allow
            },
            lifetime: if self.below(2) == 0 {
                Lifetime::Session
            } else {
                Lifetime::Always
            },
        }
    }
}

#[test]
fn random_policies_keep_the_invariants() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let (mut allowed, mut denied) = (0_u32, 0_u32);
    for _ in 0..1_000_000 {
        let count = random.below(5);
        let grants: Vec<Grant> = (0..count).map(|_| random.grant()).collect();
        let declared: Vec<Permission> = (0..random.below(4)).map(|_| random.permission()).collect();
        let asked = random.permission();
        let subject = subject(1);
        let all: Grants = grants.iter().cloned().collect();
        let decision = decide(&subject, &declared, &all, asked);
        // Deny wins, and nothing is allowed that was not declared and allowed.
        let about = |effect| {
            all.iter().any(|grant| {
                grant.right == asked.into() && grant.effect == effect && grant.is_about(&subject)
            })
        };
        let expected = declared.contains(&asked) && about(Effect::Allow) && !about(Effect::Deny);
        assert_eq!(decision == Decision::Allowed, expected);
        // Taking back a yes never enables anything.
        if decision == Decision::Allowed {
            allowed += 1;
        } else {
            denied += 1;
            let yes = grants.iter().filter(|grant| grant.effect == Effect::Allow);
            for left_out in yes {
                let fewer = all.iter().filter(|grant| *grant != left_out);
                let fewer: Grants = fewer.cloned().collect();
                assert_ne!(
                    decide(&subject, &declared, &fewer, asked),
                    Decision::Allowed
                );
            }
        }
    }
    assert!(allowed > 10_000 && denied > 10_000, "{allowed} {denied}");
}
