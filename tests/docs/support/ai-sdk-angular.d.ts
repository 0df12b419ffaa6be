// The types of `@ai-sdk/angular`, which is not installed here.
import { AbstractChat, type ChatInit, type UIMessage } from 'ai';

export declare class Chat<M extends UIMessage = UIMessage> extends AbstractChat<M> {
  constructor(init: ChatInit<M>);
}
