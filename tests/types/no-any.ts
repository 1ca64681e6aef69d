// No part of the interface is `any`: every export, parameter and result, all the way down.
// tests/node/types.test.js holds that every exported name stands in this file.

import type * as api from "plotbridge";
import type { Place, PlotbridgeAsk } from "plotbridge/ask-element.js";

type IsAny<T> = 0 extends 1 & T ? true : false;

/** What the platform defines is its own business. */
type Platform = Blob | Request | URL | AbortSignal | EventTarget | ArrayBuffer | Uint8Array | Float32Array;

/** `true` where `any` is somewhere in T, else `false` or `never`. */
type AnyIn<T> =
  IsAny<T> extends true ? true
  : unknown extends T ? false
  : T extends Platform | string | number | boolean | undefined | null ? false
  : T extends PromiseLike<infer R> ? AnyIn<R>
  : T extends (...parameters: infer P) => infer R ? AnyIn<P> | AnyIn<R>
  : T extends readonly unknown[] ? AnyInList<T>
  : { [K in keyof T]-?: AnyIn<T[K]> }[keyof T];
type AnyInList<T extends readonly unknown[]> = { [K in keyof T]: AnyIn<T[K]> }[number];

/** Only the word for what was found fits. */
const clean = <T>(_result: true extends AnyIn<T> ? "an any" : "clean") => {};

clean<api.Source>("clean");
clean<api.Method>("clean");
clean<api.Config>("clean");
clean<api.EntityType>("clean");
clean<api.Progress>("clean");
clean<api.Endpoint>("clean");
clean<api.Check>("clean");
clean<api.Diagnosis>("clean");
clean<api.DiagnoseOptions>("clean");
clean<typeof api.diagnose>("clean");
clean<api.ChatRequest>("clean");
clean<api.ChatReply>("clean");
clean<api.ChatFunction>("clean");
clean<api.EmbedFunction>("clean");
clean<api.Models>("clean");
clean<api.Limits>("clean");
clean<api.EstimatedStage>("clean");
clean<api.Estimate>("clean");
clean<api.EstimateOptions>("clean");
clean<api.Spent>("clean");
clean<api.LedgerDocument>("clean");
clean<api.Coverage>("clean");
clean<api.Hub>("clean");
clean<api.Issue>("clean");
clean<api.Chapter>("clean");
clean<api.Counts>("clean");
clean<api.EmbeddingSpace>("clean");
clean<api.Info>("clean");
clean<api.Inspect>("clean");
clean<api.InspectedEntity>("clean");
clean<api.InspectedEvent>("clean");
clean<api.Merge>("clean");
clean<api.Merges>("clean");
clean<api.Chunks>("clean");
clean<api.Chunk>("clean");
clean<api.Skip>("clean");
clean<api.Nodes>("clean");
clean<api.Pair>("clean");
clean<api.Dropped>("clean");
clean<api.Matching>("clean");
clean<api.Edge>("clean");
clean<api.Call>("clean");
clean<api.Evidence>("clean");
clean<api.Trace>("clean");
clean<api.Citation>("clean");
clean<api.Usage>("clean");
clean<api.Answer>("clean");
clean<api.AskEvent>("clean");
clean<api.ScriptUrlPolicy>("clean");
clean<Omit<api.Pause, keyof EventTarget>>("clean");
clean<api.KeptReplies>("clean");
clean<typeof api.keptReplies>("clean");
clean<typeof api.forgetReplies>("clean");
clean<api.EngineOptions>("clean");
clean<api.OpenOptions>("clean");
clean<api.ReadOptions>("clean");
clean<api.BuildOptions>("clean");
clean<api.Position>("clean");
clean<api.RetrieveOptions>("clean");
clean<api.AskOptions>("clean");
clean<api.ErrorCode>("clean");
clean<Omit<api.PlotbridgeError, keyof Error>>("clean");
clean<ConstructorParameters<typeof api.PlotbridgeError>>("clean");

// The class: its instances, and its static calls.
clean<Omit<api.Book, "open" | "build" | "read" | "estimate">>("clean");
clean<Parameters<typeof api.Book.open>>("clean");
clean<Parameters<typeof api.Book.build>>("clean");
clean<Parameters<typeof api.Book.read>>("clean");
clean<Parameters<typeof api.Book.estimate>>("clean");
clean<IsAny<Awaited<ReturnType<typeof api.Book.open>>> extends true ? { found: true } : { found: false }>("clean");

// The question box: what it adds to an element.
clean<Omit<PlotbridgeAsk, keyof HTMLElement>>("clean");
clean<Omit<Place, "opener">>("clean");

// The test can fail: an any in any place is found.
// @ts-expect-error any itself
clean<{ deep: { list: { value: unknown; hidden: any }[] } }>("clean");
// @ts-expect-error any in a parameter
clean<(given: { signal: any }) => void>("clean");
// @ts-expect-error any in a promise
clean<() => Promise<any>>("clean");
// @ts-expect-error any in an optional parameter
clean<(first: string, second?: any) => string>("clean");
