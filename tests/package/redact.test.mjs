// A prompt shows an input without its secrets, until a person asks for them. The real input is sent.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { redact } from 'tool-approval-guard/redact';

import { assertAllowed } from './support/assertions.mjs';
import { gated, response, says } from './support/chunks.mjs';
import { scene } from './support/chat.mjs';
import { entries } from './support/decide.mjs';
import { forEachSdk } from './support/sdk.mjs';

const secret = { url: 'https://api.good.com/v1', headers: { authorization: 'Bearer hunter2.hunter2' }, a: 1 };

async function asked(sdk, options, calls = [gated('c1', 'post', secret), gated('c2', 'post', { url: 'x' })]) {
  const s = scene(sdk, { script: [response('a1', ...calls), says()], guard: options });
  await s.say();
  await s.settle();
  return s;
}

forEachSdk((sdk) =>
  describe(`the displayed input, ${sdk.name}`, () => {
    test('without the option it is the input itself', async () => {
      const s = await asked(sdk, {});
      const { display, input } = s.call('c1');
      assert.equal(display.value, input);
      assert.equal(display.hidden, 0);
    });

    test('a secret is masked, and nothing else is changed', async () => {
      const s = await asked(sdk, { redact });
      const { display, input } = s.call('c1');
      assert.equal(display.hidden, 1);
      assert.deepEqual(Object.keys(display.value), Object.keys(secret));
      assert.doesNotMatch(JSON.stringify(display), /hunter2/);
      assert.match(JSON.stringify(display), /api\.good\.com\/v1/);
      assert.deepEqual(input, secret);
      assert.deepEqual(s.call('c2').display, { value: s.call('c2').input, hidden: 0 });
    });

    test('a person may unmask it: that is recorded, and the real input is sent', async () => {
      const s = await asked(sdk, { redact });
      const other = s.call('c2');
      const before = s.call('c1');
      assert.deepEqual(s.guard.unmask(before), { type: 'unmasked' });
      assert.deepEqual(s.guard.unmask('c1'), { type: 'unmasked' });
      const { display, input } = s.call('c1');
      assert.deepEqual(display, { value: input, hidden: 0 });
      input.headers.authorization = 'Bearer another.another2';
      s.guard.observe(s.chat.messages);
      assert.doesNotMatch(JSON.stringify(s.call('c1').display), /another2/, 'that is not what was asked for');
      input.headers.authorization = secret.headers.authorization;
      assert.equal(s.call('c2'), other, 'another call is the same object');
      assert.deepEqual(
        entries(s, 'revealed').map(({ toolCallId, actor }) => [toolCallId, actor]),
        [['c1', 'person']],
      );
      // A view from before is still of the same input.
      assert.equal(s.guard.decide(before, 'allow-once').type, 'drafted');
      s.guard.decide('c2', 'allow-once');
      await s.settle();
      assertAllowed(s.wire('c1'), { id: 'ap-c1' });
      assert.deepEqual(s.wire('c1').input, secret);
      assert.deepEqual(s.codes(), []);
    });

    test('the same object comes back as long as nothing changes', async () => {
      let count = 0;
      const s = await asked(sdk, { redact: (input) => (count++, redact(input)) });
      const view = s.call('c1');
      const made = count;
      s.guard.observe(structuredClone(s.chat.messages));
      assert.equal(s.call('c1').display, view.display);
      s.guard.decide('c2', 'deny');
      assert.equal(s.call('c1').display.hidden, 1);
      assert.equal(count, made, 'an input is looked at once');
    });

    test('an input that was changed in place is redacted again', async () => {
      const s = await asked(sdk, { redact });
      s.guard.unmask('c1');
      const part = s.chat.messages.at(-1).parts.find(({ toolCallId }) => toolCallId === 'c1');
      part.input = { ...secret, headers: { authorization: 'Bearer another.another1' } };
      s.guard.observe([...s.chat.messages]);
      const { display } = s.call('c1');
      assert.equal(display.hidden, 1, 'what was asked for was the old one');
      assert.doesNotMatch(JSON.stringify(display), /another1/);
    });

    test('an input redacted by the application is shown redacted, even without counts', async () => {
      const s = await asked(sdk, { redact: () => ({ value: { url: '…' }, hidden: [] }) });
      assert.deepEqual(s.call('c1').display, { value: { url: '…' }, hidden: 0 });
    });

    for (const [what, broken] of Object.entries({
      'that throws': () => {
        throw new Error('no');
      },
      'that answers nothing': () => undefined,
      'that answers no list': () => ({ value: 1 }),
    })) {
      test(`with a function ${what} nothing is shown`, async () => {
        const s = await asked(sdk, { redact: broken });
        assert.equal(s.call('c1').display, undefined);
        assert.equal(s.guard.decide('c1', 'deny').type, 'drafted');
      });
    }

    test('an unreadable input is not shown', async () => {
      const s = await asked(sdk, { redact }, [gated('c1', 'post', { text: 'x'.repeat(300_000) })]);
      assert.equal(s.call('c1').display, undefined);
    });

    test('a `redact` that throws is reported once for each call, and nothing of the input is shown', async () => {
      const failing = () => {
        throw new Error('no view');
      };
      const s = await asked(sdk, { redact: failing }, [gated('c1', 'post', { text: 'a' })]);
      for (let i = 0; i < 3; i += 1) assert.equal(s.call('c1').display, undefined);
      await s.settle();
      assert.deepEqual(s.codes(), ['listener-failed']);
      assert.equal(s.errors[0].cause.message, 'no view');
    });

    test('unmask accepts the same references to a call as other methods', async () => {
      const s = await asked(sdk, { redact });
      assert.equal(s.guard.unmask('nothing').reason, 'unknown-id');
      assert.throws(() => s.guard.unmask(7), { code: 'invalid-decision' });
      assert.throws(() => scene(sdk, { script: [], guard: { redact: true } }), { code: 'invalid-option' });
    });
  }),
);

describe('redact', () => {
  test('keeps the order in which the fields are written', () => {
    const input = JSON.parse('{"z":1,"a":[{"y":"x","token":"abc","b":2}],"__proto__":{"q":1,"c":2}}');
    const { value } = redact(input);
    assert.equal(
      JSON.stringify(value),
      '{"z":1,"a":[{"y":"x","token":"••••••••","b":2}],"__proto__":{"q":1,"c":2}}',
    );
    assert.equal(Object.getPrototypeOf(value), Object.prototype);
    const open = { z: 1, a: 2 };
    assert.deepEqual(redact(open), { value: open, hidden: [] });
    assert.equal(JSON.stringify(redact(open).value), '{"z":1,"a":2}');
    assert.notEqual(redact(open).value, open);
  });

  test('what is not masked comes out as it was', () => {
    const input = {
      numbers: [0, -5, 1.5, -1e-7, 1e21, 5e-324, 123456789012345680000, Number.MAX_VALUE],
      texts: ['a\u007fb', '\u0001\u001f\n"\\\u2028', 'é😀', '•', '••••••••', '', 'a\u007f ••••••••'],
      other: [null, true, false, [], {}],
    };
    assert.deepEqual(redact(input), { value: input, hidden: [] });
    const { value, hidden } = redact({ ...input, password: 'x', line: 'password=x\u007f •••••••• y' });
    assert.deepEqual(value, { ...input, password: '••••••••', line: 'password=•••••••• •••••••• y' });
    assert.deepEqual(hidden, [
      { pointer: '/line', count: 1 },
      { pointer: '/password', count: 1 },
    ]);
  });

  test('masked names are different, and their places too', () => {
    for (const other of ['', '\u007f']) {
      const { value, hidden } = redact({
        ghp_0123456789abcdefghij: { z: 1, password: 'x' },
        ghp_9876543210abcdefghij: 2,
        '••••••••': other,
      });
      assert.deepEqual(value, {
        '••••••••': other,
        '•••••••• 2': { z: 1, password: '••••••••' },
        '•••••••• 3': 2,
      });
      assert.deepEqual(hidden, [
        { pointer: '/•••••••• 2', count: 1 },
        { pointer: '/•••••••• 2/password', count: 1 },
        { pointer: '/•••••••• 3', count: 1 },
      ]);
    }
  });
});
