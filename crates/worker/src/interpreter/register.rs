//! The functions with which a skill registers its contributions.

use prowess_sdk::wire::{Tool, any_object};
use starlark::environment::GlobalsBuilder;
use starlark::eval::Evaluator;
use starlark::starlark_module;
use starlark::values::dict::DictRef;
use starlark::values::none::{NoneOr, NoneType};
use starlark::values::typing::StarlarkCallable;
use starlark::values::{Heap, UnpackValue, Value};

use crate::error::{WorkerError, shape};
use crate::interpreter::registry::HandlerKind;
use crate::interpreter::session::Session;
use crate::interpreter::to_json::{Bound, to_json};
use crate::limits::OUTPUT_BYTES;

const SCHEMA: Bound = Bound {
    what: "input schema",
    bytes: OUTPUT_BYTES,
};

fn add<'v>(
    function: &'static str,
    entry: impl FnOnce() -> Result<HandlerKind, WorkerError>,
    handler: Value<'v>,
    eval: &Evaluator<'v, '_, '_>,
) -> starlark::Result<NoneType> {
    let session = Session::current()?;
    let variable = || {
        let registry = session.registry(function)?;
        if !matches!(<StarlarkCallable<'v>>::unpack_value(handler), Ok(Some(_))) {
            return Err(WorkerError::NotCallable(handler.get_type()));
        }
        registry.borrow_mut().add(entry()?)
    };
    let variable = variable().map_err(|error| session.fail(error))?;
    eval.module().set(&variable, handler);
    Ok(NoneType)
}

fn schema<'v>(schema: NoneOr<Value<'v>>, heap: Heap<'v>) -> Result<serde_json::Value, WorkerError> {
    let NoneOr::Other(schema) = schema else {
        return Ok(any_object());
    };
    if DictRef::from_value(schema).is_none() {
        let found = format!("a value of type `{}`", schema.get_type());
        return Err(shape("input schema", "a dict", found));
    }
    Ok(serde_json::from_str(&to_json(schema, heap, SCHEMA)?)?)
}

#[starlark_module]
pub(super) fn register(builder: &mut GlobalsBuilder) {
    /// Offers a tool to the model. The handler is called with the input, and returns what the model sees.
    fn register_tool<'v>(
        name: &str,
        description: &str,
        handler: Value<'v>,
        #[starlark(default = NoneOr::None)] input_schema: NoneOr<Value<'v>>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<NoneType> {
        let heap = eval.heap();
        let tool = || {
            Ok(HandlerKind::Tool(Tool {
                name: name.to_owned(),
                description: description.to_owned(),
                input_schema: schema(input_schema, heap)?,
            }))
        };
        add("register_tool", tool, handler, eval)
    }

    /// Has the handler called at a moment, with what the moment is about.
    fn register_hook<'v>(
        phase: &str,
        handler: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<NoneType> {
        let hook = || Ok(HandlerKind::Hook(phase.parse()?));
        add("register_hook", hook, handler, eval)
    }

    /// Offers a workflow. The handler is called with the input.
    fn register_workflow<'v>(
        name: &str,
        handler: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<NoneType> {
        let workflow = || Ok(HandlerKind::Workflow(name.to_owned()));
        add("register_workflow", workflow, handler, eval)
    }

    /// Offers a scanner. The handler is called with a list of files, and returns a list of findings.
    fn register_scanner<'v>(
        name: &str,
        handler: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<NoneType> {
        let scanner = || Ok(HandlerKind::Scanner(name.to_owned()));
        add("register_scanner", scanner, handler, eval)
    }
}
