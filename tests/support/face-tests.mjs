// The public face as an editor shows it: everything that is exported, and every member of it, is described
// and is not `any`, also where nobody has written `any`; and what stands under the pointer can be read.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

const compilerOptions = {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  lib: ['lib.es2023.d.ts', 'lib.esnext.disposable.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
  types: [],
  strict: true,
  exactOptionalPropertyTypes: true,
  noEmit: true,
};

/** The names of the files of code in a folder, for which an entry has a star. */
const namesIn = (folder) =>
  readdirSync(folder)
    .filter((file) => file.endsWith('.js'))
    .map((file) => file.slice(0, -'.js'.length));

/** The declarations of each entry: the name it is imported by, and its file. */
function entriesOf(place) {
  const { name, exports } = JSON.parse(readFileSync(path.join(place, 'package.json'), 'utf8'));
  return Object.entries(exports).flatMap(([entry, { types, default: code }]) => {
    if (types === undefined) return [];
    const names = entry.includes('*') ? namesIn(path.join(place, path.dirname(code))) : [''];
    return names.map((part) => [
      path.posix.join(name, entry.replace('*', part)),
      path.join(place, types.replace('*', part)),
    ]);
  });
}

class Face {
  constructor(place) {
    this.place = place + path.sep;
    this.entries = entriesOf(place);
    this.program = ts.createProgram(
      this.entries.map(([, file]) => file),
      compilerOptions,
    );
    this.checker = this.program.getTypeChecker();
  }

  isOurs(node) {
    return node.getSourceFile().fileName.startsWith(this.place);
  }

  /** What an entry exports, with what stands behind a name that is passed on. */
  exportsOf(file) {
    const { checker } = this;
    const source = this.program.getSourceFile(file);
    const module = checker.getSymbolAtLocation(source);
    if (module === undefined) throw new Error(`${file} exports nothing.`);
    return checker
      .getExportsOfModule(module)
      .map((symbol) => (symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol));
  }

  /** The members that an interface or a class of the package declares itself. */
  membersOf(symbol) {
    return (symbol.declarations ?? [])
      .filter((node) => ts.isInterfaceDeclaration(node) || ts.isClassDeclaration(node))
      .flatMap((node) =>
        node.members.map((member) => this.checker.getSymbolAtLocation(member.name ?? member)),
      )
      .filter((member) => member !== undefined && !isPrivate(member));
  }

  /** What the declarations name and no entry exports. */
  internalNames() {
    const exported = new Set(
      this.entries.flatMap(([, file]) => this.exportsOf(file).map(({ name }) => name)),
    );
    const declared = this.program
      .getSourceFiles()
      .filter((source) => this.isOurs(source))
      .flatMap((source) => source.statements.map((statement) => statement.name?.text));
    return new Set(declared.filter((name) => name !== undefined && !exported.has(name)));
  }

  undescribed(file) {
    const missing = [];
    const isDescribed = (symbol) =>
      ts.displayPartsToString(symbol.getDocumentationComment(this.checker)).trim() !== '';
    for (const symbol of this.exportsOf(file)) {
      if (!isDescribed(symbol)) missing.push(symbol.name);
      missing.push(...this.unsaid(symbol));
      for (const member of this.membersOf(symbol)) {
        if (!isDescribed(member)) missing.push(`${symbol.name}.${member.name}`);
      }
    }
    return missing;
  }

  /** What a function does not say of what it takes and gives. */
  unsaid(symbol) {
    const { checker } = this;
    if (!(symbol.flags & ts.SymbolFlags.Function)) return [];
    const tags = symbol.getJsDocTags(checker);
    const said = (name) =>
      tags.filter((tag) => tag.name === name).map(({ text }) => ts.displayPartsToString(text));
    const [signature] = checker.getSignaturesOfType(checker.getTypeOfSymbol(symbol), ts.SignatureKind.Call);
    const given = checker.getAwaitedType(signature.getReturnType());
    const isVoid = (given.flags & ts.TypeFlags.Void) !== 0;
    const parameters = signature.declaration.parameters.filter(
      // A parameter that is taken apart has no name; its tag stands at its place.
      (_, i) => said('param')[i] === undefined,
    );
    return [
      ...parameters.map((parameter) => `${symbol.name}: @param ${parameter.name.getText()}`),
      ...(isVoid || said('returns').length > 0 ? [] : [`${symbol.name}: @returns`]),
    ];
  }

  /** The places where a type is `any`, as far as the package declares them. */
  anys(file) {
    const { checker } = this;
    const found = [];
    const seen = new Set();
    const walk = (type, where) => {
      if (type === undefined) return;
      if (type.flags & ts.TypeFlags.Any) return void found.push(where);
      if (seen.has(type)) return;
      seen.add(type);
      for (const argument of type.aliasTypeArguments ?? []) walk(argument, where);
      if (type.isUnionOrIntersection()) for (const part of type.types) walk(part, where);
      if (type.isTypeParameter()) {
        walk(checker.getBaseConstraintOfType(type), where);
        walk(type.getDefault(), where);
      }
      if (type.flags & ts.TypeFlags.Conditional) {
        const { node, checkType, extendsType } = type.root;
        for (const part of [checkType, extendsType]) walk(part, where);
        for (const part of [node.trueType, node.falseType]) walk(checker.getTypeFromTypeNode(part), where);
      }
      if (type.flags & ts.TypeFlags.IndexedAccess) {
        walk(type.objectType, where);
        walk(type.indexType, where);
      }
      if (!(type.flags & ts.TypeFlags.Object)) return;
      checker.getTypeArguments(type).forEach((argument, i) => {
        // `Iterable<string>` of the library has two more arguments, whose default is `any`.
        if (!(type.target.typeParameters?.[i]?.getDefault()?.flags & ts.TypeFlags.Any)) walk(argument, where);
      });
      for (const property of checker.getPropertiesOfType(type)) {
        if (property.declarations?.some((node) => this.isOurs(node)) && !isPrivate(property)) {
          walk(checker.getTypeOfSymbol(property), `${where}.${property.name}`);
        }
      }
      const signatures = [
        ...checker.getSignaturesOfType(type, ts.SignatureKind.Call),
        ...checker.getSignaturesOfType(type, ts.SignatureKind.Construct),
      ];
      for (const signature of signatures) {
        if (signature.declaration !== undefined && !this.isOurs(signature.declaration)) continue;
        for (const parameter of signature.parameters) {
          walk(checker.getTypeOfSymbol(parameter), `${where}(${parameter.name})`);
        }
        walk(signature.getReturnType(), `${where}()`);
      }
      const own = type.symbol?.declarations?.some((node) => this.isOurs(node));
      if (own) for (const info of checker.getIndexInfosOfType(type)) walk(info.type, `${where}[]`);
    };
    for (const symbol of this.exportsOf(file)) {
      if (symbol.flags & ts.SymbolFlags.Type) walk(checker.getDeclaredTypeOfSymbol(symbol), symbol.name);
      if (symbol.flags & ts.SymbolFlags.Value) walk(checker.getTypeOfSymbol(symbol), symbol.name);
    }
    return found;
  }
}

/** What a declaration has of a `#name`, and what is marked as private. */
const isPrivate = (symbol) =>
  symbol.name.startsWith('__#') ||
  (symbol.declarations ?? []).some(
    (node) =>
      (node.name !== undefined && ts.isPrivateIdentifier(node.name)) ||
      ts.getCombinedModifierFlags(node) & ts.ModifierFlags.Private,
  );

const none = (list, sentence) => {
  if (list.length > 0) throw new Error(`${sentence}:\n${[...new Set(list)].join('\n')}`);
};

/** What somebody writes, with a caret before what the pointer stands on. */
const HOVERED = `
import type { UIMessage } from 'ai';
import { ^createApprovalGuard } from 'tool-approval-guard';
type Mine = UIMessage<unknown, never, { pay: { input: { amount: number }; output: string } }>;
const ^guard = createApprovalGuard({ chatId: 'c' });
const ^mine = createApprovalGuard<Mine>({ ^clientTools: ['pay'], ^expiresMs: (^call) => call.input === 1 ? 1 : 2 });
guard.^sendAutomaticallyWhen({ messages: [] });
mine.^sendAutomaticallyWhen({ messages: [] });
mine.^transport;
mine.^attach;
const [call] = guard.getSnapshot().calls;
const [typed] = mine.getSnapshot().calls;
const ^decided = guard.^decide(call!, 'allow-once');
mine.^decide(typed!, 'deny');
const [^pending] = mine.^pending();
call!.^status;
typed!.^status;
typed!.^toolName;
mine.^explain().^reason;
`;
const SERVER = `
import { ^readDecisions } from 'tool-approval-guard/server';
const [^decision] = readDecisions([]);
`;
const LINES = 8;
const LETTERS = 500;

/** What an editor says of each place that is marked. */
function hovers(folder, marked) {
  const file = path.join(folder, 'hovered.ts');
  const places = [];
  const text = marked.replaceAll(/\^(\w+)/g, (found, word, at) => {
    places.push([word, at - places.length]);
    return word;
  });
  const service = ts.createLanguageService({
    getCompilationSettings: () => compilerOptions,
    getScriptFileNames: () => [file],
    getScriptVersion: () => '1',
    getScriptSnapshot: (name) => {
      const content = name === file ? text : ts.sys.readFile(name);
      return content === undefined ? undefined : ts.ScriptSnapshot.fromString(content);
    },
    getCurrentDirectory: () => folder,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: (name) => name === file || ts.sys.fileExists(name),
    readFile: ts.sys.readFile,
    readDirectory: ts.sys.readDirectory,
    directoryExists: ts.sys.directoryExists,
    getDirectories: ts.sys.getDirectories,
  });
  const wrong = [...service.getSyntacticDiagnostics(file), ...service.getSemanticDiagnostics(file)];
  if (wrong.length > 0) throw new Error(ts.flattenDiagnosticMessageText(wrong[0].messageText, '\n'));
  return places.map(([word, at]) => {
    const { displayParts = [], documentation = [] } = service.getQuickInfoAtPosition(file, at) ?? {};
    return [word, ts.displayPartsToString(displayParts), ts.displayPartsToString(documentation)];
  });
}

/**
 * @param {string} project has the package in its node_modules
 * @returns {[string, () => void][]} the checks
 */
export function faceTests(project) {
  const face = new Face(path.join(project, 'node_modules', 'tool-approval-guard'));
  const checks = face.entries.flatMap(([name, file]) => [
    [`${name}: everything is described`, () => none(face.undescribed(file), 'Without a comment')],
    [`${name}: nothing is any`, () => none(face.anys(file), 'It is any')],
  ]);
  const internal = face.internalNames();
  const unreadable = ([word, shown]) => {
    if (shown === '') return [`${word} has no hover`];
    const isLong = shown.split('\n').length > LINES || shown.length > LETTERS;
    const names = shown.match(/\w+/g) ?? [];
    const bad = names.filter((name) => name === 'any' || internal.has(name));
    return isLong || bad.length > 0 ? [`${bad.join(', ') || 'long'}:\n${shown}`] : [];
  };
  const hasServer = face.entries.some(([name]) => name === 'tool-approval-guard/server');
  const texts = [HOVERED, ...(hasServer ? [SERVER] : [])];
  checks.push([
    'what an editor shows can be read',
    () => none(texts.flatMap((text) => hovers(project, text)).flatMap(unreadable), 'Not to be read'),
  ]);
  return checks;
}
