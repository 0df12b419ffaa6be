//! The export of the claims. A transaction comes in as JSON; what comes of it is a typed value.

use serde::Serialize;
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

use crate::core::json::{self, Value};
use crate::core::verdict::Need;
use crate::server::claims::{
    Answer, Answered, Claim, Claims, Command, Edit, Ending, Question, Runner, Says, handle, stored,
};
use crate::web::values::to_js;

/// The write of one claim in a transaction.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Write {
    id: String,
    data: String,
    doubtful_from: Option<u64>,
    forgettable_from: Option<u64>,
    waiting_from: Option<u64>,
}

/// The result of a transaction.
#[derive(Serialize)]
struct Outcomes {
    /// The approval id of a claim that cannot be read. Then there is nothing else.
    unreadable: Option<String>,
    answer: Option<Answer>,
    writes: Vec<Write>,
}

/// Carries out a command on claims. `transaction` is the JSON of the time, the command and the stored claims,
/// as pairs of an approval id and a text.
#[wasm_bindgen]
pub fn claim_calls(transaction: &[u8]) -> Option<JsValue> {
    // Its numbers are whole: times and a few places.
    let transaction = json::parse(std::str::from_utf8(transaction).ok()?, &|_| f64::NAN)?;
    let now = transaction.get("now")?.as_time()?;
    let command = command(transaction.get("command")?)?;
    let mut before = Claims::new();
    for row in transaction.get("rows")?.as_array()? {
        let [id, data] = row.as_array()? else { return None };
        let (id, data) = (id.as_str()?, data.as_str()?);
        let Some(claim) = stored::read(data) else {
            let unreadable = Some(id.to_owned());
            return Some(to_js(&Outcomes { unreadable, answer: None, writes: Vec::new() }));
        };
        before.insert(id.to_owned(), claim);
    }
    let mut after = before.clone();
    let answer = Some(handle(&command, &mut after, now));
    let write = |(id, claim): (&String, &Claim)| Write {
        id: id.clone(),
        data: stored::write(claim),
        doubtful_from: claim.doubtful_from(),
        forgettable_from: claim.forgettable_from(),
        waiting_from: claim.waiting_from(),
    };
    let is_new = |(id, claim): &(&String, &Claim)| before.get(*id) != Some(*claim);
    let writes = after.iter().filter(is_new).map(write).collect();
    Some(to_js(&Outcomes { unreadable: None, answer, writes }))
}

/// Reads a command. By hand, because derived code is several times as large.
fn command(fields: &Value) -> Option<Command> {
    let user = || text(fields, "user");
    let id = || text(fields, "id");
    let token = || text(fields, "token");
    let until = || number(fields, "until");
    let end = || Ending::from_name(fields.get("end")?.as_str()?);
    let kept = || fields.get("kept")?.as_bool();
    Some(match fields.get("type")?.as_str()? {
        "ask" => Command::Ask {
            questions: list(fields, "questions", question)?,
            user: user(),
            expires: number(fields, "expires"),
        },
        "take" => Command::Take {
            decisions: list(fields, "decisions", answered)?,
            user: user(),
            token: token()?,
            until: until()?,
        },
        "start" => Command::Start {
            id: id()?,
            call: text(fields, "call")?,
            tool: text(fields, "tool")?,
            input: text(fields, "input"),
            token: token(),
            until: until()?,
        },
        "renew" => Command::Renew { id: id()?, token: token()?, until: until()? },
        "finish" => Command::Finish { id: id()?, token: token()?, end: end()?, kept: kept()? },
        "settle" => Command::Settle { id: id()?, end: end()?, kept: kept()? },
        "review" => Command::Review,
        "waiting" => Command::Waiting,
        "requested" => Command::Requested,
        _ => return None,
    })
}

fn question(fields: &Value) -> Option<Question> {
    Some(Question {
        id: text(fields, "id")?,
        call: text(fields, "call")?,
        tool: text(fields, "tool")?,
        input: text(fields, "input"),
    })
}

fn answered(fields: &Value) -> Option<Answered> {
    let says = match fields.get("type")?.as_str()? {
        "rejected" => Says::Rejected { overwritten: fields.get("overwritten")?.as_bool()? },
        "approved" => Says::Approved,
        "output" => Says::Output,
        "preliminary" => Says::Preliminary,
        "error" => Says::Error,
        "open" => Says::Open { waits_for: Need::from_name(fields.get("waitsFor")?.as_str()?)? },
        "malformed" => Says::Malformed { code: text(fields, "code")? },
        _ => return None,
    };
    Some(Answered {
        says,
        current: fields.get("current")?.as_bool()?,
        approval_id: text(fields, "approvalId"),
        tool_call_id: text(fields, "toolCallId"),
        tool_name: text(fields, "toolName"),
        fingerprint: text(fields, "fingerprint"),
        edit: fields.get("edit").and_then(edit),
        runner: Runner::from_name(fields.get("runner")?.as_str()?)?,
    })
}

fn edit(fields: &Value) -> Option<Edit> {
    Some(Edit { fingerprint: text(fields, "fingerprint")?, fits: fields.get("fits")?.as_bool()? })
}

fn list<T>(fields: &Value, name: &str, read: fn(&Value) -> Option<T>) -> Option<Vec<T>> {
    fields.get(name)?.as_array()?.iter().map(read).collect()
}

fn text(fields: &Value, name: &str) -> Option<String> {
    fields.get(name)?.as_str().map(ToOwned::to_owned)
}

fn number(fields: &Value, name: &str) -> Option<u64> {
    fields.get(name)?.as_time()
}
