// Empty databases for tests, in one PostgreSQL and one Redis: each starts when the first test of a process asks for it, and
// stops after the last one.
import { after } from 'node:test';

import pg from 'pg';

import { pingPostgres, pingRedis, startPostgres, startRedis } from './servers.mjs';

/** @returns the address of the server, and how often it was asked for before */
function shared(start) {
  let server;
  let count = 0;
  after(async () => (await server)?.stop());
  return async () => {
    server ??= start();
    const number = count++;
    return { url: (await server).url, number };
  };
}
const postgres = shared(() => startPostgres(pingPostgres));
const redis = shared(() => startRedis(pingRedis));

/** The address of an empty database in PostgreSQL. */
export async function postgresDatabase() {
  const { url, number } = await postgres();
  const name = `tests_${number}`;
  const client = new pg.Client(url);
  await client.connect();
  await client.query(`create database ${name}`);
  await client.end();
  return Object.assign(new URL(url), { pathname: name }).href;
}

/** The address of an empty database in Redis, which has sixteen of them. */
export async function redisDatabase() {
  const { url, number } = await redis();
  return `${url}/${number}`;
}
