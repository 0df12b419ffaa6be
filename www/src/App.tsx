import { useEffect, useState } from 'react';
import { Choice } from './components/Choice.tsx';
import { GuardedRoom } from './components/GuardedRoom.tsx';
import { StockRoom } from './components/StockRoom.tsx';
import { chatOfAddress, forgetMessages, isGuardedInAddress, putInAddress } from './keeper.ts';
import { SCENARIOS, scenarioOfAddress, type Scenario } from './scenarios.ts';

const GUARD_CHOICES = [
  { value: 'with', label: 'With the guard' },
  { value: 'without', label: 'Without the guard' },
] as const;

const newChatId = () => crypto.randomUUID();

export function App() {
  const [scenario, setScenario] = useState<Scenario>(scenarioOfAddress);
  const [guarded, setGuarded] = useState(isGuardedInAddress);
  const [chatId, setChatId] = useState(() => chatOfAddress() ?? newChatId());

  useEffect(() => putInAddress(scenario.keeps && chatId, scenario.id, guarded), [scenario, chatId, guarded]);

  // Each scenario starts over: a new chat, a new guard, and a fresh folder on the server.
  const startOver = () => {
    void fetch(`/api/reset?chat=${chatId}`, { method: 'POST' });
    forgetMessages(chatId);
    setChatId(newChatId());
  };

  const Room = guarded ? GuardedRoom : StockRoom;
  return (
    <>
      <header className="masthead">
        <h1>A denial stays a denial</h1>
        <p>
          An assistant asks before it touches a file. Answer it, and watch what leaves the browser and what
          runs on the server, with <code>tool-approval-guard</code> and without it.
        </p>
      </header>

      <nav className="controls" aria-label="Demo">
        <Choice
          legend="Scenario"
          options={SCENARIOS.map(({ id, label }) => ({ value: id, label }))}
          value={scenario.id}
          onChange={(id) => {
            setScenario(SCENARIOS.find((candidate) => candidate.id === id) ?? scenario);
            startOver();
          }}
        />
        <Choice
          segmented
          legend="Guard"
          options={GUARD_CHOICES}
          value={guarded ? 'with' : 'without'}
          onChange={(value) => {
            setGuarded(value === 'with');
            startOver();
          }}
        />
      </nav>

      <Room key={chatId} chatId={chatId} scenario={scenario} onStartOver={startOver} />

      <footer className="fine-print">
        The page makes one mistake on purpose, which shared tool cards often make: it writes an output into
        every call that you deny. The SDK then forgets the denial. The guard does not.{' '}
        <a href="guides/">The guides</a> · <a href="vue.html">The same chat in Vue</a> ·{' '}
        <a href="rules.html">What rules would say</a>
      </footer>
    </>
  );
}
