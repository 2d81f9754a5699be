// table: what the demo model says, in both of its languages.
import type { Language } from "./turn.ts";

interface Words {
  readonly notice: string;
  readonly help: (text: string) => string;
  readonly nothing: string;
  readonly files: (list: string) => string;
  readonly whichCity: (list: string) => string;
  readonly end: string;
  readonly thinkCalls: (tools: string) => string;
  readonly thinkResults: string;
  readonly thinkText: string;
  readonly weather: (city: string, celsius: number, sky: string) => string;
  readonly time: (time: string, zone: string) => string;
  readonly sent: (to: string) => string;
  readonly deleted: (title: string) => string;
  readonly researched: (topic: string, sources: number) => string;
  readonly failed: (tool: string, why: string) => string;
  readonly denied: (tool: string, why: string) => string;
  readonly gave: (tool: string, what: string) => string;
  readonly longTitle: (count: number) => string;
  readonly longSentences: readonly string[];
  readonly sample: string;
  readonly breaksOff: string;
}

const en: Words = {
  notice: "*(This is the demo model: it follows rules and is no AI. Configure a model to talk to a real one.)*",
  help: text =>
    `You said: “${text}”\n\nI am a demo that answers by rules. Try one of these:\n\n- \`19 + 23\` — a tool call\n- \`weather in Beijing and London\` — two calls at once\n- \`what time is it?\`\n- \`research the history of tea\` — a tool that shows its progress\n- \`send an email to ada@example.com\` — a call that you must approve\n- \`fail on purpose\` — a tool that fails\n- \`show me markdown\`\n- \`write 500 words\`\n- \`model error\` — an answer that breaks off`,
  nothing: "There is nothing to answer yet. Say something.",
  files: list => `I received ${list}. The demo does not look inside.`,
  whichCity: list => `For which city? I know ${list}.`,
  end: ".",
  thinkCalls: tools => `This needs ${tools}. I call it and read what comes back.`,
  thinkResults: "The results are there. I put them into words.",
  thinkText: "No tool is needed for this. I answer directly.",
  weather: (city, celsius, sky) => `${city}: ${celsius} °C, ${sky}.`,
  time: (time, zone) => `It is ${time} (${zone}).`,
  sent: to => `The e-mail to ${to} is on its way. (In this demo nothing leaves the machine.)`,
  deleted: title => `The note “${title}” is deleted. (In this demo there was none.)`,
  researched: (topic, sources) => `I looked “${topic}” up in ${sources} imaginary sources.`,
  failed: (tool, why) => `The tool \`${tool}\` failed: ${why}`,
  denied: (tool, why) => `I did not run \`${tool}\`, as it was not approved${why === "" ? "." : `: ${why}`}`,
  gave: (tool, what) => `\`${tool}\` gave:\n\n\`\`\`json\n${what}\n\`\`\``,
  longTitle: count => `# About ${count} words about nothing`,
  longSentences: [
    "A conversation is a list of turns, and every turn begins where the one before it ended.",
    "Whoever reads it later was not there, so it must hold everything that was said.",
    "Some of it is text, some of it is a picture, and some of it is a question to a machine.",
    "What one side cannot hold the other side should at least know about.",
    "It is better to say what was lost than to lose it quietly.",
    "So the list grows, line by line, and nobody has to read it twice.",
  ],
  sample:
    "# Markdown\n\nA paragraph with **bold**, *italic*, `code` and a [link](https://example.com).\n\n1. first\n2. second\n   - inside\n\n> A quotation.\n\n| format | streams |\n|---|---|\n| Chat | yes |\n| lighter | no |\n\n```ts\nconst answer: number = 19 + 23;\nconsole.log(answer); // 42\n```\n\nThat is all.",
  breaksOff: "I begin to answer, and in the middle of",
};

const zh: Words = {
  notice: "*（这是演示模型：按规则回答，不是真正的 AI。配置一个模型即可与真实模型对话。）*",
  help: text =>
    `你说：“${text}”\n\n我是一个按规则回答的演示模型。可以试试：\n\n- \`计算 19 + 23\` —— 调用工具\n- \`北京和上海的天气\` —— 同时调用两次\n- \`现在几点？\`\n- \`调研茶的历史\` —— 会显示进度的工具\n- \`给 ada@example.com 发邮件\` —— 需要你批准的调用\n- \`故意失败\` —— 会失败的工具\n- \`展示 markdown\`\n- \`写一篇 500 字的长文\`\n- \`模型错误\` —— 中途断开的回答`,
  nothing: "还没有可以回答的内容，请先说点什么。",
  files: list => `我收到了 ${list}。演示模型不会查看其中的内容。`,
  whichCity: list => `要查哪个城市？我知道${list}。`,
  end: "。",
  thinkCalls: tools => `这需要用到 ${tools}，我先调用它，再看结果。`,
  thinkResults: "结果已经有了，我把它说出来。",
  thinkText: "这不需要工具，我直接回答。",
  weather: (city, celsius, sky) => `${city}：${celsius} °C，${sky}。`,
  time: (time, zone) => `现在是 ${time}（${zone}）。`,
  sent: to => `发给 ${to} 的邮件已经寄出。（演示中没有任何内容离开本机。）`,
  deleted: title => `笔记“${title}”已删除。（演示中并没有这条笔记。）`,
  researched: (topic, sources) => `我在 ${sources} 个虚构的来源中查了“${topic}”。`,
  failed: (tool, why) => `工具 \`${tool}\` 失败了：${why}`,
  denied: (tool, why) => `因为没有得到批准，我没有运行 \`${tool}\`${why === "" ? "。" : `：${why}`}`,
  gave: (tool, what) => `\`${tool}\` 返回：\n\n\`\`\`json\n${what}\n\`\`\``,
  longTitle: count => `# 大约 ${count} 字的闲谈`,
  longSentences: [
    "一次对话是一串轮次，每一轮都从上一轮结束的地方开始。",
    "后来读它的人当时并不在场，所以它必须留住说过的一切。",
    "有些是文字，有些是图片，还有些是向机器提出的问题。",
    "一方留不住的东西，至少应该让另一方知道。",
    "说出丢失了什么，总好过悄悄地丢失。",
    "于是这串话一行一行地变长，谁也不必读第二遍。",
  ],
  sample:
    "# Markdown 示例\n\n一段文字，有**粗体**、*斜体*、`代码`和[链接](https://example.com)。\n\n1. 第一\n2. 第二\n   - 其中\n\n> 一段引用。\n\n| 格式 | 流式 |\n|---|---|\n| Chat | 是 |\n| lighter | 否 |\n\n```ts\nconst answer: number = 19 + 23;\nconsole.log(answer); // 42\n```\n\n就是这些。",
  breaksOff: "我开始回答，说到一半",
};

export const words: Readonly<Record<Language, Words>> = { en, zh };
