/**
 * MAF's types as .NET serialises them: one table that drives reading and writing. Microsoft.Extensions.AI.Abstractions 10.11,
 * Microsoft.Agents.AI 1.28; the order of members is the order on the wire, a type's own before those of its base.
 */

/** Members of .NET enums in the order of their numbers. */
export const enums = {
  ReasoningEffort: ["None", "Low", "Medium", "High", "ExtraHigh"],
  ReasoningOutput: ["None", "Summary", "Full"],
} as const;

/** `$type` of every content. */
export const contentKinds = {
  text: "TextContent",
  reasoning: "TextReasoningContent",
  data: "DataContent",
  uri: "UriContent",
  error: "ErrorContent",
  functionCall: "FunctionCallContent",
  functionResult: "FunctionResultContent",
  toolCall: "ToolCallContent",
  toolResult: "ToolResultContent",
  mcpServerToolCall: "McpServerToolCallContent",
  mcpServerToolResult: "McpServerToolResultContent",
  codeInterpreterToolCall: "CodeInterpreterToolCallContent",
  codeInterpreterToolResult: "CodeInterpreterToolResultContent",
  imageGenerationToolCall: "ImageGenerationToolCallContent",
  imageGenerationToolResult: "ImageGenerationToolResultContent",
  webSearchToolCall: "WebSearchToolCallContent",
  webSearchToolResult: "WebSearchToolResultContent",
  hostedFile: "HostedFileContent",
  hostedVectorStore: "HostedVectorStoreContent",
  usage: "UsageContent",
  toolApprovalRequest: "ToolApprovalRequestContent",
  toolApprovalResponse: "ToolApprovalResponseContent",
  inputRequest: "InputRequestContent",
  inputResponse: "InputResponseContent",
} as const;
export type ContentKind = keyof typeof contentKinds;
export const isContentKind = (word: string): word is ContentKind => Object.hasOwn(contentKinds, word);

const kindsOf = (...words: ContentKind[]): { readonly [word: string]: string } =>
  Object.fromEntries(words.map(word => [word, contentKinds[word]]));

/**
 * A type: its base, its members, and for polymorphic bases the words of `$type`. A member is `name:type`; then `=` and what
 * stands for it where it is missing, `!` must be given, `!!` must not be blank either, `~` is not read back.
 */
export interface TypeSource {
  readonly base?: string;
  readonly members: string;
  readonly kinds?: { readonly [word: string]: string };
  readonly isAbstract?: true;
}

const outputs = "outputs:AIContent[]";
const said = "authorName:author role:word contents:AIContent[]=[] additionalProperties:properties";
export const sources: { readonly [name: string]: TypeSource } = {
  AIContent: { members: "annotations:AIAnnotation[] additionalProperties:properties", kinds: contentKinds },
  TextContent: { base: "AIContent", members: 'text:string=""' },
  TextReasoningContent: { base: "AIContent", members: 'text:string="" protectedData:string' },
  DataContent: { base: "AIContent", members: "uri:dataUri!! name:string" },
  UriContent: { base: "AIContent", members: "uri:uri! mediaType:mediaType" },
  ErrorContent: { base: "AIContent", members: 'message:string="" errorCode:string details:string' },
  ToolCallContent: {
    base: "AIContent",
    members: "callId:string!",
    kinds: kindsOf(
      "functionCall",
      "mcpServerToolCall",
      "imageGenerationToolCall",
      "codeInterpreterToolCall",
      "webSearchToolCall",
    ),
  },
  ToolResultContent: {
    base: "AIContent",
    members: "callId:string!",
    kinds: kindsOf(
      "functionResult",
      "mcpServerToolResult",
      "imageGenerationToolResult",
      "codeInterpreterToolResult",
      "webSearchToolResult",
    ),
  },
  FunctionCallContent: {
    base: "ToolCallContent",
    members: "name:string! arguments:arguments informationalOnly:bool=false",
  },
  FunctionResultContent: { base: "ToolResultContent", members: "result:json" },
  McpServerToolCallContent: {
    base: "ToolCallContent",
    members: "name:string!! serverName:string arguments:arguments callId:string!!",
  },
  McpServerToolResultContent: { base: "ToolResultContent", members: `${outputs} callId:string!!` },
  CodeInterpreterToolCallContent: { base: "ToolCallContent", members: "inputs:AIContent[]" },
  CodeInterpreterToolResultContent: { base: "ToolResultContent", members: outputs },
  ImageGenerationToolCallContent: { base: "ToolCallContent", members: "" },
  ImageGenerationToolResultContent: { base: "ToolResultContent", members: outputs },
  WebSearchToolCallContent: { base: "ToolCallContent", members: "queries:string[]" },
  WebSearchToolResultContent: { base: "ToolResultContent", members: outputs },
  HostedFileContent: {
    base: "AIContent",
    members:
      "fileId:string!! mediaType:mediaType name:string sizeInBytes:long createdAt:date purpose:string scope:string",
  },
  HostedVectorStoreContent: { base: "AIContent", members: "vectorStoreId:string!!" },
  UsageContent: { base: "AIContent", members: "details:UsageDetails!" },
  InputRequestContent: {
    base: "AIContent",
    members: "requestId:string!!",
    kinds: kindsOf("toolApprovalRequest"),
    isAbstract: true,
  },
  InputResponseContent: {
    base: "AIContent",
    members: "requestId:string!!",
    kinds: kindsOf("toolApprovalResponse"),
    isAbstract: true,
  },
  ToolApprovalRequestContent: {
    base: "InputRequestContent",
    members: "toolCall:ToolCallContent! requiresConfirmation:bool=true",
  },
  ToolApprovalResponseContent: {
    base: "InputResponseContent",
    members: "approved:bool=false toolCall:ToolCallContent! reason:string",
  },

  AIAnnotation: {
    members: "annotatedRegions:AnnotatedRegion[] additionalProperties:properties",
    kinds: { citation: "CitationAnnotation" },
  },
  CitationAnnotation: {
    base: "AIAnnotation",
    members: "title:string url:uri fileId:string toolName:string snippet:string",
  },
  AnnotatedRegion: { members: "", kinds: { textSpan: "TextSpanAnnotatedRegion" } },
  TextSpanAnnotatedRegion: { base: "AnnotatedRegion", members: "start:int end:int" },

  UsageDetails: {
    members:
      "inputTokenCount:long outputTokenCount:long totalTokenCount:long cachedInputTokenCount:long reasoningTokenCount:long " +
      "inputAudioTokenCount:long inputTextTokenCount:long outputAudioTokenCount:long outputTextTokenCount:long additionalCounts:counts",
  },
  ChatMessage: {
    members:
      'authorName:author createdAt:date role:word="user" contents:AIContent[]=[] messageId:string additionalProperties:properties',
  },
  ChatResponse: {
    members:
      "messages:ChatMessage[]=[] responseId:string conversationId:string modelId:string createdAt:date finishReason:word " +
      "usage:UsageDetails continuationToken:token additionalProperties:properties",
  },
  ChatResponseUpdate: {
    members:
      `${said} responseId:string messageId:string conversationId:string createdAt:date finishReason:word modelId:string ` +
      "continuationToken:token",
  },
  AgentResponse: {
    members:
      "messages:ChatMessage[]=[] agentId:string responseId:string continuationToken:token createdAt:date finishReason:word " +
      "usage:UsageDetails additionalProperties:properties",
  },
  AgentResponseUpdate: {
    members: `${said} agentId:string responseId:string messageId:string createdAt:date continuationToken:token finishReason:word`,
  },

  ChatOptions: {
    members:
      "conversationId:string instructions:string temperature:float maxOutputTokens:int topP:float topK:int frequencyPenalty:float " +
      "presencePenalty:float seed:long reasoning:ReasoningOptions responseFormat:ChatResponseFormat modelId:string " +
      "stopSequences:string[] allowMultipleToolCalls:bool toolMode:ChatToolMode allowBackgroundResponses:bool " +
      "continuationToken:token additionalProperties:properties",
  },
  ReasoningOptions: { members: "effort:ReasoningEffort output:ReasoningOutput" },
  AgentRunOptions: {
    members:
      "continuationToken:token allowBackgroundResponses:bool additionalProperties:properties responseFormat:ChatResponseFormat",
  },
  ChatClientAgentRunOptions: { base: "AgentRunOptions", members: "chatOptions:ChatOptions chatClientFactory:json" },
  ChatResponseFormat: {
    members: "",
    kinds: { text: "ChatResponseFormatText", json: "ChatResponseFormatJson" },
    isAbstract: true,
  },
  ChatResponseFormatText: { base: "ChatResponseFormat", members: "" },
  ChatResponseFormatJson: {
    base: "ChatResponseFormat",
    members: "schema:json schemaName:string schemaDescription:string",
  },
  ChatToolMode: {
    members: "",
    kinds: { none: "NoneChatToolMode", auto: "AutoChatToolMode", required: "RequiredChatToolMode" },
    isAbstract: true,
  },
  NoneChatToolMode: { base: "ChatToolMode", members: "" },
  AutoChatToolMode: { base: "ChatToolMode", members: "" },
  RequiredChatToolMode: { base: "ChatToolMode", members: "requiredFunctionName:word" },
  HostedMcpServerToolApprovalMode: {
    members: "",
    kinds: {
      never: "HostedMcpServerToolNeverRequireApprovalMode",
      always: "HostedMcpServerToolAlwaysRequireApprovalMode",
      requireSpecific: "HostedMcpServerToolRequireSpecificApprovalMode",
    },
    isAbstract: true,
  },
  HostedMcpServerToolNeverRequireApprovalMode: { base: "HostedMcpServerToolApprovalMode", members: "" },
  HostedMcpServerToolAlwaysRequireApprovalMode: { base: "HostedMcpServerToolApprovalMode", members: "" },
  HostedMcpServerToolRequireSpecificApprovalMode: {
    base: "HostedMcpServerToolApprovalMode",
    members: "alwaysRequireApprovalToolNames:string[] neverRequireApprovalToolNames:string[]",
  },

  AITool: { members: 'name:string="" description:string="" additionalProperties:properties={}~', isAbstract: true },
  AIFunctionDeclaration: { base: "AITool", members: "jsonSchema:json={} returnJsonSchema:json", isAbstract: true },
  HostedTool: { base: "AITool", members: 'name:string="" additionalProperties:properties={}~' },
  HostedWebSearchTool: { base: "HostedTool", members: 'name:string="web_search"' },
  HostedCodeInterpreterTool: { base: "HostedTool", members: 'name:string="code_interpreter"|inputs:AIContent[]' },
  HostedFileSearchTool: {
    base: "HostedTool",
    members: 'name:string="file_search"|inputs:AIContent[] maximumResultCount:int',
  },
  HostedImageGenerationTool: { base: "HostedTool", members: 'name:string="image_generation"|options:json' },
  HostedToolSearchTool: {
    base: "HostedTool",
    members: 'name:string="tool_search"|deferredTools:string[] namespace:string namespaceDescription:string',
  },
  HostedMcpServerTool: {
    base: "HostedTool",
    members:
      'name:string="mcp"|serverName:string!! serverAddress:string!! serverDescription:string allowedTools:string[] ' +
      "approvalMode:HostedMcpServerToolApprovalMode headers:headers",
    isAbstract: true,
  },

  ChatClientAgentSession: { members: "conversationId:string stateBag:arguments={}" },
  InMemoryChatHistory: { members: "messages:ChatMessage[]=[]" },
};
