// table: every text of the inspector, in its languages. A language that lacks one does not compile.

import type { Language } from "../shell/words.ts";
import type { IdFact } from "./worker/facts.ts";
import type { IssueGroup } from "./worker/issues.ts";
import type { ProblemCode } from "./worker/problem.ts";
import type { Phase } from "./worker/read.ts";

const n = (count: number): string => count.toLocaleString("en");
const z = (count: number): string => count.toLocaleString("zh");

interface Advice {
  readonly title: string;
  readonly whatToDo: string;
}

const en = {
  inspector: "Inspector",
  toChat: "Back to the chat",
  another: "Open another",
  cancel: "Cancel",

  keys: {
    next: "Next message",
    previous: "Previous message",
    walk: "Through the tree, once it has the focus",
    open: "Open and close a row of the tree",
    another: "Open another",
    help: "Show this list",
  },
  opened: (format: string, messages: number, issues: number) =>
    `Read as ${format}: ${n(messages)} ${messages === 1 ? "message" : "messages"}, ${n(issues)} ${issues === 1 ? "issue" : "issues"}.`,

  // start
  startTitle: "Look into a conversation",
  startNote:
    "A history or a recording of any format: a request, an answer, messages, JSON Lines, server-sent events. It stays in this browser.",
  pasteHere: "Paste it here, or drop a file anywhere",
  inspect: "Inspect",
  openFile: "Open a file",
  tryOne: "Or try one of these",
  sampleHistory: "A request with faults",
  sampleRecording: "A recorded stream",
  pasted: "Pasted text",
  dropped: "Dropped text",
  phases: {
    reading: "Reading the text…",
    detecting: "Finding the format…",
    decoding: "Reading the conversation…",
    placing: "Finding the places in the text…",
  } satisfies { readonly [name in Phase]: string },
  at: (line: number, column: number | undefined) =>
    `Line ${n(line)}${column === undefined ? "" : `, column ${n(column)}`}:`,
  problems: {
    empty: { title: "There is nothing to read", whatToDo: "Paste a history or a recording, or open a file." },
    "not-json": {
      title: "This is not JSON",
      whatToDo:
        "Mend the text at this place, or check that all of it was copied. Below it can be changed and inspected again.",
    },
    "not-detected": {
      title: "This is no format that is known",
      whatToDo:
        "It is JSON, but looks like no history or answer. Open the value that holds the messages, not what is around it.",
    },
    "not-this-format": {
      title: "This is another format",
      whatToDo: "Open it again without choosing a format, and let it be detected.",
    },
    "too-deep": { title: "This is nested too deeply", whatToDo: "Flatten the value, or cut the deepest part out." },
    "too-large": {
      title: "This is too large for a browser",
      whatToDo: "Up to 64 million characters can be opened. The command `translogue` reads any size.",
    },
    "not-text": {
      title: "This file is no text",
      whatToDo: "Only text in UTF-8 can be read, also packed with gzip. Save it as UTF-8 and open it again.",
    },
    "not-there": {
      title: "This conversation is not here",
      whatToDo: "It was deleted, or belongs to someone else. Open another below.",
    },
    failed: {
      title: "Something went wrong",
      whatToDo: "Try again. If it stays, tell us what you opened.",
    },
  } satisfies { readonly [code in ProblemCode]: Advice },

  // what was opened
  readAs: "Read as",
  dialect: "Dialect",
  whichValue: (count: number) => `Value of ${n(count)}`,
  tidy: "Laid out anew",
  repaired: "repaired",
  shapes: {
    request: "a request",
    answer: "an answer",
    messages: "messages",
    message: "a message",
    block: "a part",
    stream: "a stream",
    event: "a stream",
    log: "a log",
    file: "a stored file",
    error: "an error",
  } as { readonly [shape: string]: string }, // shapes may come
  show: "Show",
  panes: { tree: "Messages", source: "Source", report: "Report" },
  tree: "Messages and parts",
  source: "Source:",
  tabs: { stream: "Stream", issues: "Issues", convert: "Convert", facts: "Facts" },
  tokensAbout: (count: number) => `about ${n(count)} ${count === 1 ? "token" : "tokens"}`,

  // issues
  target: "To be sent to",
  noTarget: "no provider",
  mendAll: "Mend all",
  undoRepair: "Undo",
  noIssues: "Nothing is wrong with it.",
  noIssuesFor: (target: string) => `Nothing is wrong with it, and ${target} takes it.`,
  changed: (count: number) => (count === 1 ? "1 thing was changed" : `${n(count)} things were changed`),
  severities: { error: "error", warning: "warning", info: "note" } as { readonly [severity: string]: string },
  foundBy: { reading: "in the text", model: "in the conversation", target: "for the provider" } satisfies {
    readonly [from in IssueGroup["from"]]: string;
  },
  times: (count: number) => `${n(count)}×`,
  providerSays: "The provider says:",
  mend: (repair: string) => `Mend: ${repair}`,
  showMore: (count: number) => `Show ${n(count)} more`,

  // convert
  convertTo: "Convert to",
  carry: "Carry along what is lost",
  converted: "Converted",

  // facts
  selectedNode: "Selected",
  size: "Size",
  tokens: "Tokens",
  messages: "Messages",
  tools: "Tools",
  text: "Text",
  model: "Model",
  counted: "As counted",
  about: (count: number) => `about ${n(count)}`,
  number: n,
  usage: (input: number, output: number) => `${n(input)} in, ${n(output)} out`,
  whatFills: "What fills the context",
  byPart: "By kind of part",
  byRole: "By role",
  byMessage: "By message",
  messageNumber: (index: number) => `Message ${n(index)}`,
  ids: (count: number) => `Ids (${n(count)})`,
  idKinds: { message: "message", answer: "answer", call: "call", approval: "approval", part: "part" } satisfies {
    readonly [kind in IdFact["kind"]]: string;
  },
  noResult: "no result",
  seals: (count: number) => `Seals (${n(count)})`,
  noSeals: "It has no seals: nothing in it belongs to one provider alone.",
  unknownMaker: "unknown maker",

  // stream
  play: "Play",
  pause: "Pause",
  step: "Next event",
  stepBack: "Event before",
  toStart: "To the start",
  speed: "Speed",
  place: "Place in the stream",
  eventOf: (at: number, count: number) => `Event ${n(at)} of ${n(count)}`,
  timed: (time: string) => `${time} s as it was recorded; long pauses are shaded.`,
  untimed: "The recording has no times: events are played evenly.",
  events: "Events",
  brokenEvent: "no JSON",
  soFar: "The message so far",
  nothingSoFar: "Nothing has come yet.",
};

export type InspectorWords = typeof en;

const zh: InspectorWords = {
  inspector: "检查器",
  toChat: "返回对话",
  another: "打开其他内容",
  cancel: "取消",
  keys: {
    next: "下一条消息",
    previous: "上一条消息",
    walk: "在树中移动（焦点在树上时）",
    open: "展开或收起树中的一行",
    another: "打开其他内容",
    help: "显示此列表",
  },
  opened: (format, messages, issues) => `读取为 ${format}：${z(messages)} 条消息，${z(issues)} 个问题。`,

  startTitle: "查看一段对话的内部",
  startNote: "任意格式的历史或录制：请求、回答、消息、JSON Lines、服务器推送事件。内容不会离开此浏览器。",
  pasteHere: "粘贴到这里，或将文件拖到任意位置",
  inspect: "检查",
  openFile: "打开文件",
  tryOne: "或者试试这些",
  sampleHistory: "一个有错误的请求",
  sampleRecording: "一段录制的流",
  pasted: "粘贴的文本",
  dropped: "拖入的文本",
  phases: {
    reading: "正在读取文本…",
    detecting: "正在识别格式…",
    decoding: "正在读取对话…",
    placing: "正在定位文本中的位置…",
  },
  at: (line, column) => `第 ${z(line)} 行${column === undefined ? "" : `，第 ${z(column)} 列`}：`,
  problems: {
    empty: { title: "没有可读取的内容", whatToDo: "请粘贴一段历史或录制，或打开一个文件。" },
    "not-json": {
      title: "这不是 JSON",
      whatToDo: "请修正此处的文本，或确认是否复制完整。可以在下方修改后再次检查。",
    },
    "not-detected": {
      title: "这不是已知的格式",
      whatToDo: "它是 JSON，但不像历史或回答。请打开包含消息的那个值，而不是它外面的内容。",
    },
    "not-this-format": { title: "这是另一种格式", whatToDo: "请不选择格式重新打开，让它自动识别。" },
    "too-deep": { title: "嵌套太深", whatToDo: "请将该值展平，或去掉最深的部分。" },
    "too-large": {
      title: "内容太大，浏览器无法处理",
      whatToDo: "最多可打开 6400 万个字符。命令行工具 `translogue` 可读取任意大小。",
    },
    "not-text": {
      title: "该文件不是文本",
      whatToDo: "只能读取 UTF-8 文本（也可用 gzip 压缩）。请另存为 UTF-8 后重新打开。",
    },
    "not-there": { title: "找不到这个对话", whatToDo: "它可能已被删除，或属于其他人。请在下方打开其他内容。" },
    failed: { title: "出错了", whatToDo: "请重试。如果一直如此，请告诉我们你打开了什么。" },
  },

  readAs: "读取为",
  dialect: "方言",
  whichValue: count => `共 ${z(count)} 个值，第`,
  tidy: "重新排版",
  repaired: "已修复",
  shapes: {
    request: "请求",
    answer: "回答",
    messages: "消息列表",
    message: "一条消息",
    block: "一个部分",
    stream: "流",
    event: "流",
    log: "日志",
    file: "存储的文件",
    error: "错误",
  },
  show: "显示",
  panes: { tree: "消息", source: "原文", report: "报告" },
  tree: "消息与部分",
  source: "来源：",
  tabs: { stream: "流", issues: "问题", convert: "转换", facts: "事实" },
  tokensAbout: count => `约 ${z(count)} 个 token`,

  target: "发送给",
  noTarget: "不发送",
  mendAll: "全部修复",
  undoRepair: "撤销",
  noIssues: "没有发现问题。",
  noIssuesFor: target => `没有发现问题，${target} 会接受它。`,
  changed: count => `改动了 ${z(count)} 处`,
  severities: { error: "错误", warning: "警告", info: "提示" },
  foundBy: { reading: "文本中", model: "对话中", target: "针对提供方" },
  times: count => `${z(count)}×`,
  providerSays: "提供方的说法：",
  mend: repair => `修复：${repair}`,
  showMore: count => `再显示 ${z(count)} 项`,

  convertTo: "转换为",
  carry: "随行携带丢失的内容",
  converted: "转换结果",

  selectedNode: "所选",
  size: "大小",
  tokens: "token",
  messages: "消息",
  tools: "工具",
  text: "文本",
  model: "模型",
  counted: "实际计数",
  about: count => `约 ${z(count)}`,
  number: z,
  usage: (input, output) => `输入 ${z(input)}，输出 ${z(output)}`,
  whatFills: "上下文由什么占据",
  byPart: "按部分类型",
  byRole: "按角色",
  byMessage: "按消息",
  messageNumber: index => `消息 ${z(index)}`,
  ids: count => `标识（${z(count)}）`,
  idKinds: { message: "消息", answer: "回答", call: "调用", approval: "批准", part: "部分" },
  noResult: "没有结果",
  seals: count => `封印（${z(count)}）`,
  noSeals: "没有封印：其中没有只属于某一个提供方的内容。",
  unknownMaker: "来源未知",

  play: "播放",
  pause: "暂停",
  step: "下一个事件",
  stepBack: "上一个事件",
  toStart: "回到开头",
  speed: "速度",
  place: "流中的位置",
  eventOf: (at, count) => `第 ${z(at)} 个事件，共 ${z(count)} 个`,
  timed: time => `录制时长 ${time} 秒；较长的停顿已加底色。`,
  untimed: "录制中没有时间：事件按均匀速度播放。",
  events: "事件",
  brokenEvent: "不是 JSON",
  soFar: "目前的消息",
  nothingSoFar: "还没有内容。",
};

export const inspectorLanguages: { readonly [name in Language]: InspectorWords } = { en, zh };
