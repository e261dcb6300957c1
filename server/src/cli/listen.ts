// karba listen: webhooks for a receiver that the internet cannot reach, such as a developer's own machine. Polls the feed of any Karba with
// a merchant's key, and posts each event as the service would. Opens no store and needs no settings.
import { readFileSync } from 'node:fs'
import { Command, Option } from 'commander'
import { checkSecretHash } from '../actions/webhooks/add-endpoint.ts'
import { httpUrl } from '../config.ts'
import { readApiKey } from '../domain/api-key.ts'
import { ENVIRONMENTS, type Environment } from '../domain/environment.ts'
import { realRandom } from '../service/real-random.ts'
import { keepAliveClock } from '../service/runtime.ts'
import { findServerAddress } from '../service/server-address.ts'
import { URL_FAULT_SENTENCES } from '../webhooks/failure-text.ts'
import { webhookHeaders } from '../webhooks/headers.ts'
import { checkTarget, readAllowedTargets, type TargetRules } from '../webhooks/safe-address.ts'
import { type WebhookSender, webhookSender } from '../webhooks/send.ts'
import { signatureHeaders } from '../webhooks/sign.ts'
import { isoTime } from '../wire/json.ts'
import { argument } from './arguments.ts'
import { CommandFailed, granted } from './command-failed.ts'
import { type FeedEvent, type FeedPage, type FeedReader, feedReader } from './feed-reader.ts'
import { type Cursor, cursorFile, readCursor, writeCursor } from './listen-cursor.ts'
import { pause } from './pause.ts'
import { readSecrets } from './read-secret.ts'

interface Options {
  forwardTo: URL
  url?: string
  environment?: Environment
  keyFile?: string
  secretHash?: string
  signingSecret?: string
  fromStart?: boolean
  cursor?: string
}

const KEY_VARIABLE = 'SVC_SECRET_KEY'
const USUAL_URL = 'http://127.0.0.1:8080'
const POLL_EVERY_MS = 1_000
const TIMEOUT_MS = 10_000

export function listenCommand(): Command {
  return new Command('listen')
    .description(
      `Posts the events of an account to an address of your own, as webhooks would come. The secret key is read from ${KEY_VARIABLE}.`,
    )
    .requiredOption('--forward-to <url>', 'where to post them', argument(receiver))
    .option(
      '--url <url>',
      `the address of the Karba; else that of the server of this folder, or ${USUAL_URL}`,
      argument(httpUrl),
    )
    .option('--key-file <file>', `a file with the secret key, instead of ${KEY_VARIABLE}; - is standard input`)
    .addOption(new Option('--environment <environment>', 'by default that of the key').choices(ENVIRONMENTS))
    .option('--secret-hash <value>', 'the Secret-Hash to send; - reads it from standard input; one is made up else')
    .option(
      '--signing-secret <secret>',
      'the whsec_… to sign with; - reads it from standard input; one is made up else',
    )
    .option('--from-start', 'begin with the first event that there is')
    .option('--cursor <file>', 'where to remember how far it came; by default a file in ./data')
    .addHelpText(
      'after',
      '\nStandard input has one line for each -: the secret key, then the Secret-Hash, then the signing secret.\n\nExample:\n  SVC_SECRET_KEY=sk_sandbox_… npm run -s karba -- listen --forward-to http://localhost:3000/hook',
    )
    .action(listen)
}

async function listen(options: Options, command: Command): Promise<void> {
  const { forwardTo } = options
  const dataDir = process.env.KARBA_DATA_DIR || './data'
  const url = options.url ?? findServerAddress(dataDir) ?? USUAL_URL
  const { keyFile, ...given } = options
  const [key, secretHash, signingSecret] = await readSecrets(keyOf(keyFile), given.secretHash, given.signingSecret)
  const secretKey = key?.trim()
  if (!secretKey) {
    command.error(`error: put the secret key into the variable ${KEY_VARIABLE}, or name a file with --key-file`)
  }
  const form = readApiKey(secretKey)
  if (form?.kind !== 'secret') {
    throw new CommandFailed('That is not a secret key. It begins with sk_sandbox_ or sk_live_; was it copied whole?')
  }
  const environment = options.environment ?? form.environment
  const file = options.cursor ?? cursorFile(dataDir, url, secretKey)
  const cursor = readCursor(file, realRandom)
  if (options.fromStart) Object.assign(cursor, { after: 0, replaysAfter: 0 })
  const secrets = checkSecrets({ secretHash, signingSecret }, cursor)

  const stopping = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT']) process.once(signal, () => stopping.abort())
  const reader = feedReader({ url, secretKey, environment }, keepAliveClock)
  const sender = webhookSender({ clock: keepAliveClock, rules: rulesFor(forwardTo), timeoutMs: TIMEOUT_MS })
  try {
    const deps = { reader, sender, forwardTo: forwardTo.href, secrets, stopped: stopping.signal }
    await pollFeed(deps, cursor, {
      begun: () => {
        const from = cursor.after === 'latest' ? 'now' : `event ${cursor.after + 1}`
        const goes = `${environment} at ${url} goes to ${forwardTo.href} from ${from} on`
        // The generated secrets are saved before they are shown, so that a restart uses the same ones.
        writeCursor(file, cursor)
        write([goes, ...generatedSecrets(options, cursor), ''])
      },
      moved: () => writeCursor(file, cursor),
      down: (why) => writeError(`${url} does not answer: ${why}. It is asked every second.`),
      up: () => writeError(`${url} answers.`),
    })
  } finally {
    await reader.close()
    await sender.close()
  }
}

/** `-` when it is to be read from standard input. */
function keyOf(keyFile: string | undefined): string | undefined {
  if (keyFile === undefined || keyFile === '-') return keyFile ?? process.env[KEY_VARIABLE]
  try {
    return readFileSync(keyFile, 'utf8')
  } catch (error) {
    throw new CommandFailed(`The key file cannot be read: ${(error as Error).message}.`)
  }
}

interface Secrets {
  secretHash: string
  signingSecret: string
}

function checkSecrets(given: { [Name in keyof Secrets]: string | undefined }, cursor: Cursor): Secrets {
  const { secretHash = cursor.secretHash, signingSecret = cursor.signingSecret } = given
  granted(checkSecretHash(secretHash) ?? {})
  try {
    signatureHeaders({ id: '', timestampSeconds: 0, body: '', secrets: [signingSecret] })
  } catch (error) {
    // The value is not repeated: it may be the real secret with a letter missing.
    throw new CommandFailed(`--signing-secret will not do: ${(error as Error).message}.`)
  }
  return { secretHash, signingSecret }
}

function generatedSecrets(given: Options, { secretHash, signingSecret }: Cursor): string[] {
  return [
    ...(given.secretHash === undefined ? [`  Secret-Hash     ${secretHash}`] : []),
    ...(given.signingSecret === undefined ? [`  signing secret  ${signingSecret}`] : []),
  ]
}

/** The user of the command chooses the receiver, so any address is allowed. */
const rulesFor = ({ hostname }: Pick<URL, 'hostname'>): TargetRules => ({
  allowPlainHttp: true,
  allowed: [...readAllowedTargets('0.0.0.0/0,::/0'), { host: hostname.replace(/\.$/, '') }],
})

function receiver(text: string): URL {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol)) throw new Error('must be an http or https address')
  const target = checkTarget(text, rulesFor(url))
  if ('fault' in target) throw new Error(`will not do: ${URL_FAULT_SENTENCES[target.fault].replace(/\.$/, '')}`)
  return target.url
}

interface Deps {
  reader: FeedReader
  sender: WebhookSender
  forwardTo: string
  secrets: Secrets
  stopped: AbortSignal
}

interface Progress {
  /** The service has answered for the first time. */
  begun(): void
  /** The cursor has changed. */
  moved(): void
  down(why: string): void
  up(): void
}

async function pollFeed(deps: Deps, cursor: Cursor, progress: Progress): Promise<void> {
  const { reader, stopped } = deps
  let state: 'new' | 'up' | 'down' = 'new'
  let hasBegun = false
  while (!stopped.aborted) {
    const page = await reader.read(cursor, stopped)
    if (stopped.aborted) return
    if ('refused' in page) throw new CommandFailed(page.refused)
    if ('down' in page) {
      if (state !== 'down') progress.down(page.down)
      state = 'down'
    } else {
      if (state === 'down') progress.up()
      state = 'up'
      if (!hasBegun) progress.begun()
      hasBegun = true
      await forwardPage(deps, cursor, page, progress.moved)
      if (page.hasMore) continue
    }
    await pause(POLL_EVERY_MS, stopped)
  }
}

/** Advances the cursor after each event that the receiver answered. */
async function forwardPage(deps: Deps, cursor: Cursor, page: FeedPage, moved: () => void): Promise<void> {
  for (const event of page.events) {
    if (!(await forward(deps, event))) return
    cursor.after = event.sequence
    moved()
  }
  const before = { ...cursor }
  cursor.after = page.next.after
  for (const replay of page.replays) {
    // A replay must not come before the event itself, which may be on a later page.
    if (replay.sequence > cursor.after) return
    if (!(await forward(deps, replay))) return
    cursor.replaysAfter = replay.replay
    moved()
  }
  cursor.replaysAfter = page.next.replaysAfter
  if (cursor.after !== before.after || cursor.replaysAfter !== before.replaysAfter) moved()
}

/** Retries until the receiver answers, so that events stay in order; false when the command was stopped before. */
async function forward({ sender, forwardTo, secrets, stopped }: Deps, event: FeedEvent): Promise<boolean> {
  const { body, replay } = event
  const { id, event: name, data } = JSON.parse(body) as { id: string; event: string; data: { reference?: string } }
  const { secretHash, signingSecret } = secrets
  const posted = { eventId: id, body, secretHash, signingSecrets: [signingSecret], replay }
  const what = `${name}${replay > 0 ? ' (replay)' : ''}  ${data.reference ?? id}`
  for (let isFirst = true; !stopped.aborted; isFirst = false) {
    const now = keepAliveClock.now()
    const attempt = await sender.send({ url: forwardTo, headers: webhookHeaders(posted, now), body })
    if (attempt.status !== null) {
      write([`${isoTime(now)}  ${what}  ${attempt.status}  ${attempt.durationMs} ms`])
      return true
    }
    if (isFirst) writeError(`${isoTime(now)}  ${what}  not taken: ${attempt.error}. It is tried every second.`)
    await pause(POLL_EVERY_MS, stopped)
  }
  return false
}

function write(lines: string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`)
}

function writeError(line: string): void {
  process.stderr.write(`${line}\n`)
}
