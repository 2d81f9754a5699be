import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import * as langchain from "translogue/langchain";
import ts from "typescript";
import { describe, expect, test } from "vitest";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const files = [
  "packages/core/src/model",
  "packages/core/src/stream",
  "packages/core/src/history",
  "packages/agent/src",
].flatMap(folder =>
  readdirSync(`${root}${folder}`, { recursive: true, encoding: "utf8" })
    .filter(path => path.endsWith(".ts"))
    .map(path => `${root}${folder}/${path}`),
);

/** Exported names, and the members of those that are types or classes; what a type extends is a member too. */
function declarations(): ReadonlyMap<string, { readonly members: Set<string>; readonly bases: readonly string[] }> {
  const known = new Map<string, { members: Set<string>; bases: string[] }>();
  const add = (name: string, members: readonly string[] = [], bases: readonly string[] = []): void => {
    const entry = known.get(name) ?? { members: new Set(), bases: [] };
    for (const member of members) entry.members.add(member);
    entry.bases.push(...bases);
    known.set(name, entry);
  };
  for (const path of files) {
    const source = ts.createSourceFile(path, readFileSync(path, "utf8"), ts.ScriptTarget.Latest, true);
    for (const statement of source.statements) declared(statement, add);
  }
  return known;
}

function declared(
  statement: ts.Statement,
  add: (name: string, members?: readonly string[], bases?: readonly string[]) => void,
): void {
  if (ts.isInterfaceDeclaration(statement) || ts.isClassDeclaration(statement)) {
    const members = statement.members.flatMap(({ name }) => (name ? [name.getText()] : []));
    const bases = (statement.heritageClauses ?? []).flatMap(({ types }) =>
      types.map(type => type.expression.getText()),
    );
    if (statement.name) add(statement.name.text, members, bases);
  } else if (ts.isVariableStatement(statement)) {
    for (const { name, initializer } of statement.declarationList.declarations) {
      const members =
        initializer && ts.isObjectLiteralExpression(initializer)
          ? initializer.properties.flatMap(property => (property.name ? [property.name.getText()] : []))
          : [];
      add(name.getText(), members);
    }
  } else if ((ts.isFunctionDeclaration(statement) || ts.isTypeAliasDeclaration(statement)) && statement.name) {
    add(statement.name.text);
  }
}

const known = declarations();
const has = (type: string, member: string): boolean => {
  const found = known.get(type);
  return found !== undefined && (found.members.has(member) || found.bases.some(base => has(base, member)));
};

const rows = readFileSync(`${root}docs/names.md`, "utf8")
  .split("\n")
  .filter(line => line.startsWith("| ") && !line.startsWith("| ---") && !line.startsWith("| theirs"))
  .map(line => line.split("|").map(cell => cell.trim()))
  .map(([, theirs = "", ours = "", why = ""]) => ({ theirs, ours, why }));

describe("the names of others", () => {
  test.each(rows)("$theirs: $ours", ({ ours, why }) => {
    const names = [...ours.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name);
    if (ours === "—") return expect(why).not.toBe("");
    expect(names).not.toEqual([]);
    for (const name of names) {
      const [type = "", member] = name.split(".");
      expect(member === undefined ? known.has(type) : has(type, member), name).toBe(true);
    }
  });

  test("are all of the page, each row once", () => {
    expect(rows.length).toBeGreaterThan(70);
    expect(new Set(rows.map(({ theirs, ours }) => `${theirs} ${ours}`)).size).toBe(rows.length);
  });

  test("of functions for LangChain alone are exported there", () => {
    expect(Object.keys(langchain)).toEqual(expect.arrayContaining(["contentBlocks", "mergeChunks"]));
  });
});
