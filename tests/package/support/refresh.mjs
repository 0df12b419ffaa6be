// The runtime of React's hot reloading. Import this before `react-dom`, which tells it what is rendered.
import refresh from 'react-refresh/runtime';

refresh.injectIntoGlobalHook(globalThis);
