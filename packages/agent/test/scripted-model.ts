export * from "@translogue/testkit/scripted-model";
