import type { Runner } from "./case.ts";
import { aisdkEndToEnd, aisdkMessages, aisdkTransport, huajuanSamples } from "./runners/aisdk.ts";
import { aisdkHelpers } from "./runners/aisdk-functions.ts";
import { aisdkModel } from "./runners/aisdk-model.ts";
import { aisdkRequests, aisdkResponses } from "./runners/aisdk-providers.ts";
import { aisdkRead } from "./runners/aisdk-read.ts";
import { langchainCoercion, langchainLoad, langchainMessages, langchainPythonMessages } from "./runners/langchain.ts";
import { langchainAdapterAnswers } from "./runners/langchain-adapter-answers.ts";
import { langchainRequests } from "./runners/langchain-adapters.ts";
import { langchainBlocks, langchainBothViews, langchainMessageViews } from "./runners/langchain-blocks.ts";
import { langchainHistory } from "./runners/langchain-history.ts";
import {
  langchainAnswers,
  langchainBothMerges,
  langchainMerge,
  langchainPartialJson,
} from "./runners/langchain-merge.ts";
import { langchainPythonEvents, langchainStreamEvents } from "./runners/langchain-stream.ts";
import { ledInTurn } from "./runners/led-in-turn.ts";
import { mafJson } from "./runners/maf.ts";
import { mafAdapters } from "./runners/maf-adapters.ts";
import { mafAgents } from "./runners/maf-agents.ts";
import { mafCompaction, mafReducers } from "./runners/maf-history.ts";
import { mafLoop } from "./runners/maf-loop.ts";
import { mafSessions } from "./runners/maf-session.ts";
import { mafStructured } from "./runners/maf-structured.ts";
import { mafUpdates } from "./runners/maf-updates.ts";
import { exchanges, recordings } from "./runners/wire.ts";

/** Who reads which files. */
export const runners: readonly Runner[] = [
  recordings,
  ledInTurn,
  exchanges,
  aisdkRead,
  aisdkMessages,
  aisdkModel,
  aisdkRequests,
  aisdkResponses,
  aisdkHelpers,
  aisdkEndToEnd,
  aisdkTransport,
  huajuanSamples,
  langchainMessages,
  langchainPythonMessages,
  langchainCoercion,
  langchainLoad,
  langchainMerge,
  langchainBothMerges,
  langchainPartialJson,
  langchainStreamEvents,
  langchainPythonEvents,
  langchainAnswers,
  langchainRequests,
  langchainAdapterAnswers,
  langchainBlocks,
  langchainBothViews,
  langchainMessageViews,
  langchainHistory,
  mafUpdates,
  mafJson,
  mafAdapters,
  mafReducers,
  mafCompaction,
  mafLoop,
  mafSessions,
  mafStructured,
  mafAgents,
];
