//! Reading `[[skills.repositories]]`.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry as Slot;

use prowess_spec::manifest::Keyword;
use prowess_trust::ReachList;
use toml::de::DeValue;

use crate::keywords::RepositoryType;
use crate::layer::{Context, Fault, Log, Part, span_of};
use crate::origin::{Origin, Scope, key_part};
use crate::problem::ProblemKind;
use crate::reach::{self, ReachContext};
use crate::reader::Reader;
use crate::repository::{Dropped, RepositorySpec};
use crate::shape::{Field, FieldType, Need, Shape};
use crate::show::Shown;
use crate::specs::spec;
use crate::texts;
use crate::values::{self, Flaw, Variables};

/// A repository that was read, but whose problems cannot be shown yet.
#[derive(Debug)]
pub(crate) struct Draft {
    pub(crate) name: String,
    pub(crate) kind: RepositoryType,
    pub(crate) origin: Origin,
    pub(crate) enabled: bool,
    pub(crate) spec: Option<RepositorySpec>,
    pub(crate) faults: Vec<Fault>,
    /// Its access, if the user has not accepted it yet.
    pub(crate) untrusted: ReachList,
}

/// The repositories of all files.
#[derive(Debug, Default)]
pub(crate) struct Drafts {
    pub(crate) used: Vec<Draft>,
    pub(crate) dropped: Vec<Dropped>,
}

/// The repositories in the order of their files; of two with one name, the first.
pub(crate) fn read(t: &mut Reader<'_, '_>) -> Drafts {
    let statements = t.know(Field {
        name: "repositories",
        about: "Sources of skills, highest priority first.",
        kind: FieldType::Tables(shapes(t.context)),
        need: Need::Optional,
    });
    let mut drafts = Drafts::default();
    let mut taken: BTreeMap<String, Origin> = BTreeMap::new();
    for stated in statements {
        let items = match values::items(stated.value) {
            Ok(items) => items,
            Err(flaw) => {
                t.log.conceal(&stated, Shown::Secret);
                t.fault("repositories", &stated, flaw);
                continue;
            }
        };
        for item in items {
            let DeValue::Table(table) = item.get_ref() else {
                t.log.hide_texts(stated.layer, item);
                let Flaw { kind, .. } = values::wrong_type(item.get_ref(), "a table");
                let span = Some(span_of(item));
                t.fault("repositories", &stated, Flaw { span, kind });
                continue;
            };
            let part = Part {
                layer: stated.layer,
                span: span_of(item),
                table,
            };
            let mut log = Log::default();
            let draft = read_one(t.context, &mut log, part);
            t.log.hidden.append(&mut log.hidden);
            t.log.faults.append(&mut log.faults);
            let Some(draft) = draft else {
                continue;
            };
            match taken.entry(draft.name.clone()) {
                Slot::Occupied(kept) => drafts.dropped.push(Dropped {
                    name: draft.name,
                    origin: draft.origin,
                    kept: kept.get().clone(),
                }),
                Slot::Vacant(free) => {
                    free.insert(draft.origin.clone());
                    t.log.entries.append(&mut log.entries);
                    drafts.used.push(draft);
                }
            }
        }
    }
    drafts
}

/// The keys of each repository type.
fn shapes(context: Context<'_>) -> Vec<Shape> {
    let shape = |kind: &RepositoryType| {
        let mut log = Log::default();
        let mut t = Reader::new(
            context,
            &mut log,
            Variables::Literal,
            String::new(),
            Vec::new(),
        );
        identity(&mut t, Some(*kind));
        spec(&mut t, *kind);
        t.finish()
    };
    RepositoryType::ALL.iter().map(shape).collect()
}

/// Name, switch and kind.
fn identity(
    t: &mut Reader<'_, '_>,
    only: Option<RepositoryType>,
) -> (Option<String>, bool, Option<RepositoryType>) {
    let about = "Short name of the repository.";
    let before = t.log.entries.len();
    let name = t.text(("name", about), Need::Required, Shown::Plain, texts::name);
    // The name is in the key of every other entry.
    t.log.entries.truncate(before);
    let kind = Field {
        name: "type",
        about: "Type of the repository.",
        kind: FieldType::Keyword(
            only.map_or_else(RepositoryType::names, |only| vec![only.as_str()]),
        ),
        need: Need::Required,
    };
    let kind = t.read(kind, Shown::Plain, None, |context, value| {
        Ok(values::keyword(&context.text(value)?.text)?)
    });
    let enabled = t.flag("enabled", "Whether to use the repository.", true);
    (name, enabled, kind)
}

/// Reads one repository. Problems of its shape stay in the log, problems of its values belong to it.
fn read_one(context: Context<'_>, log: &mut Log, part: Part<'_>) -> Option<Draft> {
    let stated_name = part
        .table
        .get("name")
        .and_then(|name| name.get_ref().as_str());
    let mut path = "skills.repositories".to_owned();
    if let Some(name) = stated_name {
        path.extend([".", &key_part(name)]);
    }
    let mut t = Reader::new(context, log, Variables::Literal, path.clone(), vec![part]);
    let (_, enabled, kind) = identity(&mut t, None);
    let untrusted = untrusted(context, part);
    let mut spec = kind.and_then(|kind| {
        if untrusted.is_empty() {
            t.variables = Variables::Expand;
        }
        let spec = spec(&mut t, kind);
        if kind == RepositoryType::Registry {
            for stated in t.stated("type") {
                t.fault("type", &stated, no_registry());
            }
        }
        t.finish();
        spec.filter(|_| kind != RepositoryType::Registry)
    });
    if !untrusted.is_empty() {
        // Its shape and its name count, its other values were not looked at.
        spec = None;
        log.faults
            .retain(|fault| fault.kind.is_shape() || fault.key.rsplit('.').next() == Some("name"));
    }
    if context.scope(part.layer) == Scope::Project
        && let Some(key) = reach::hidden_variable(part.table)
    {
        spec = None;
        log.faults.push(Fault {
            layer: part.layer,
            span: part.table.get(key).map_or(part.span, span_of),
            key: format!("{path}.{key}"),
            kind: ProblemKind::Unfit {
                rule: "contains a variable in the host or the command",
                help: "write the host or command without variables; they are allowed in the path, in `auth` and in `env`",
            },
        });
    }
    pin(context, part, &mut spec);
    if kind.is_none() {
        // Which of its strings are secret is unknown.
        let unread = part.table.iter();
        for (_, value) in
            unread.filter(|(key, _)| !["name", "type"].contains(&key.get_ref().as_ref()))
        {
            log.hide_texts(part.layer, value);
        }
    }
    let faults = std::mem::take(&mut log.faults);
    let (shape, values): (Vec<_>, Vec<_>) =
        faults.into_iter().partition(|fault| fault.kind.is_shape());
    log.faults = shape;
    Some(Draft {
        name: stated_name?.to_owned(),
        kind: kind?,
        origin: context.origin(part.layer, part.span),
        enabled,
        spec,
        faults: values,
        untrusted,
    })
}

/// What keeps the name of a type that comes later from being taken for one that works.
fn no_registry() -> ProblemKind {
    ProblemKind::Unfit {
        rule: "has the value `registry`, which is not available yet",
        help: "use another type: filesystem, archive, git, http, sql or mcp",
    }
}

/// The access of a project's repository that the user has not accepted.
fn untrusted(context: Context<'_>, part: Part<'_>) -> ReachList {
    let layer = context.layers.get(part.layer);
    match (layer, context.project) {
        (Some(layer), Some(root)) if layer.scope == Scope::Project && !context.trusted => {
            let here = ReachContext {
                root,
                base: &layer.base,
                home: context.lookup.home,
            };
            reach::of_repository(part.table, &here)
                .into_iter()
                .collect()
        }
        _ => ReachList::default(),
    }
}

/// Names a path inside the project by its real path, so that a link that changes later does not lead elsewhere.
fn pin(context: Context<'_>, part: Part<'_>, spec: &mut Option<RepositorySpec>) {
    let (Scope::Project, Some(root)) = (context.scope(part.layer), context.project) else {
        return;
    };
    if let Some(RepositorySpec::Filesystem { path } | RepositorySpec::Archive { path }) = spec
        && let Some(real) = root.inside(path)
    {
        *path = real;
    }
}
