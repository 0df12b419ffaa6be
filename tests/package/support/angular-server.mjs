// Renders the page of the tests on a server without WebAssembly, beside `ai` of the major that its argument names. Its own
// program, because a process has one platform of Angular.
import '@angular/compiler';
import { provideZonelessChangeDetection } from '@angular/core';
import { bootstrapApplication, provideClientHydration } from '@angular/platform-browser';
import { provideServerRendering, renderApplication } from '@angular/platform-server';
import { chatOf, pageOf } from './angular.mjs';

delete globalThis.WebAssembly;
const ai = await import(process.argv[2] === '7' ? 'ai' : 'ai6');
const messages = () => [{ id: 'u', role: 'user', parts: [{ type: 'text', text: 'go' }] }];
const inner = { sendMessages: () => {}, reconnectToStream: () => {} };
const given = { id: 'a', inner, messages, options: {}, children: 1 };
const Page = pageOf(chatOf(ai), given, { approvals: [] });
const providers = [provideZonelessChangeDetection(), provideServerRendering(), provideClientHydration()];
const html = await renderApplication((context) => bootstrapApplication(Page, { providers }, context), {
  document: '<html><head></head><body><x-page></x-page></body></html>',
  url: '/',
});
console.log(html);
