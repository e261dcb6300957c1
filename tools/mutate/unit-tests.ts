// Which test files see a source file: by the imports of the code, as they stand in the files.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path/posix'
import { fileURLToPath } from 'node:url'
import { parseSync } from 'oxc-parser'

export const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/**
 * Tests of the floors above run the code of many files: a rule that only they hold has no test of
 * its own.
 */
const FOLDERS_OF_UNIT_TESTS = [
  'server/src/domain/',
  'server/src/wire/',
  'server/src/operators/connectors/',
  'server/test/generated-documents',
]

/** A unit test loads no store, which takes too long for thousands of runs. */
const STORES = ['server/src/store/engine/sqlite.ts', 'server/src/store/engine/postgres.ts']

const FOLDERS = ['server/src', 'server/test', 'simulators', 'sdk', 'clients']

export interface Imports {
  unitTests: readonly string[]
  /** The file and everything that imports it, directly or not. */
  dependents: (file: string) => ReadonlySet<string>
}

export function readImports(): Imports {
  const files = FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true }).map((file) =>
      join(folder, String(file).replaceAll('\\', '/')),
    ),
  ).filter((file) => file.endsWith('.ts') && !file.includes('node_modules/'))
  const importedBy = new Map<string, string[]>()
  for (const file of files) {
    for (const imported of importsOf(file))
      importedBy.set(imported, [...(importedBy.get(imported) ?? []), file])
  }
  const dependents = (file: string): ReadonlySet<string> => {
    const found = new Set([file])
    // A set that grows while it is read is read to its end.
    for (const each of found) for (const importer of importedBy.get(each) ?? []) found.add(importer)
    return found
  }
  const notUnit = STORES.map(dependents)
  const unitTests = files.filter(
    (file) =>
      FOLDERS_OF_UNIT_TESTS.some((folder) => file.startsWith(folder)) &&
      file.endsWith('.test.ts') &&
      !notUnit.some((some) => some.has(file)),
  )
  return { unitTests, dependents }
}

/** Without imports of types, which Node removes. */
function importsOf(file: string): string[] {
  const text = readFileSync(join(ROOT, file), 'utf8')
  const { module } = parseSync(file, text)
  const written = [
    ...module.staticImports
      .filter(({ entries }) => entries.length === 0 || !entries.every(({ isType }) => isType))
      .map(({ moduleRequest }) => moduleRequest.value),
    ...module.staticExports.flatMap(({ entries }) =>
      entries.flatMap(({ moduleRequest, isType }) =>
        moduleRequest === null || isType ? [] : [moduleRequest.value],
      ),
    ),
    ...module.dynamicImports
      .map(({ moduleRequest }) => text.slice(moduleRequest.start, moduleRequest.end))
      .filter((request) => /^['"]/.test(request))
      .map((request) => request.slice(1, -1)),
  ]
  return written.map((name) => (name.startsWith('.') ? join(dirname(file), name) : name))
}
