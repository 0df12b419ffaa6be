import { serve } from './server/http.mjs';
import { modelName } from './server/model.mjs';

const port = Number(process.env.PORT ?? 4173);
const host = process.env.HOST ?? '127.0.0.1';

try {
  const server = await serve({ port, host });
  console.log(`${server.url} (${modelName})`);
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.once(signal, () => void server.close().then(() => process.exit(0)));
  }
} catch (error) {
  const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
  console.error(isTaken ? `Port ${port} is taken. Choose another one with PORT=…` : error);
  process.exitCode = 1;
}
