export * from "@translogue/testkit/scenarios";
