// The networks that merchants connect by themselves: what they enter, the address that the service
// calls, and the test of their credentials. Addresses come from the connectors and from a setting,
// never from a merchant.
import { z } from 'zod'
import type { EnteredFields, MerchantNetworks } from '../actions/operators/merchant-connections.ts'
import { credentialsPlace } from '../actions/operators/money-destinations.ts'
import { type Config, SettingRefused } from '../config.ts'
import type { Clock } from '../domain/clock-and-random.ts'
import type { Environment } from '../domain/environment.ts'
import {
  type CredentialTest,
  LONGEST_CREDENTIAL,
  type MerchantConnection,
  type SealedConnection,
  servedBy,
} from '../domain/merchants/merchant-connection.ts'
import { HOSTED_METHODS } from '../domain/methods/methods.ts'
import type { RefusedAs } from '../domain/refusals/refusal.ts'
import type { SealedBox } from '../domain/sealed-box.ts'
import type { Connector } from '../operators/connector.ts'
import { CONNECTORS } from '../operators/connectors/all.ts'
import type { Operator, Unknown } from '../operators/operator.ts'
import type { OwnedConnection } from '../operators/registry.ts'
import type { Queries } from '../store/engine/database.ts'
import { listChangedConnections } from '../store/operators/merchant-connections.ts'
import type { OpenedNetwork, OpenNetwork } from './connect-operators.ts'
import { type FileConnection, USUAL_LIMITS, wrongAddress } from './operators-file.ts'

interface MerchantNetworksDeps {
  config: Config
  clock: Pick<Clock, 'after'>
  /** Without it, merchants connect to no network. */
  open: OpenNetwork | undefined
  /** Where pages tell payers that no real money moves. */
  simulated: readonly Environment[]
}

/** Some networks take 20 s for a token. */
const TESTED_WITHIN_MS = 28_000

/** Throws SettingRefused for an address that may not be used. */
export function checkNetworkAddresses({ networkAddresses, mode }: Config): void {
  for (const { environment, connector, address } of networkAddresses) {
    const place = `KARBA_NETWORK_ADDRESSES names ${environment}/${connector}`
    if (!CONNECTORS.some(({ name }) => name === connector)) {
      const known = CONNECTORS.map(({ name }) => name).join(', ')
      throw new SettingRefused(`${place}; there are the connectors ${known}.`)
    }
    const wrong = wrongAddress(address, environment, { isProduction: mode === 'production' })
    if (wrong !== undefined) throw new SettingRefused(`${place}, whose address ${wrong}`)
  }
}

export function merchantNetworks({
  config,
  clock,
  open,
  simulated,
}: MerchantNetworksDeps): MerchantNetworks {
  /** Where live is simulated, only at an address of the setting: there is a simulator. */
  const isOffered = (environment: Environment, connector: Connector): boolean => {
    const usual =
      environment === 'live' && simulated.includes('live')
        ? undefined
        : connector.addresses[environment]
    return open !== undefined && (usual ?? settingOf(config, environment, connector)) !== undefined
  }
  return {
    offered: (environment) =>
      CONNECTORS.filter((each) => isOffered(environment, each)).map(
        ({ name, prompts, pages, fields }) => ({
          connector: name,
          serves: [...prompts, ...pages],
          fields,
        }),
      ),
    readFields: (environment, name, fields) => {
      const connector = CONNECTORS.find(
        (each) => each.name === name && isOffered(environment, each),
      )
      return connector === undefined
        ? { refused: 'connector_not_available' }
        : readFields(environment, connector, fields)
    },
    test: async (environment, connector, options) => {
      const row = { environment, connectionId: 'test', connector, serves: '' }
      if (open === undefined) return { is: 'not_reached', why: 'no network is connected' }
      return testWithin(clock, open(networkOf(config, row, options)))
    },
  }
}

const settingOf = (
  { networkAddresses }: Config,
  environment: Environment,
  { name }: Connector,
): string | undefined =>
  networkAddresses.find((each) => each.environment === environment && each.connector === name)
    ?.address

const addressOf = (
  config: Config,
  environment: Environment,
  connector: Connector,
  options: unknown,
) =>
  settingOf(config, environment, connector) ??
  connector.addressOf?.(environment, options) ??
  connector.addresses[environment]

/** As it goes into a header, or a private key as PEM. */
const CREDENTIAL = /^(?:[\x21-\x7e]+(?: [\x21-\x7e]+)*|-----BEGIN [\x20-\x7e\r\n]+)$/

function readFields(
  environment: Environment,
  connector: Connector,
  fields: EnteredFields,
): { options: string } | RefusedAs<'credentials_not_valid'> {
  const refuse = (field: string) => ({ refused: 'credentials_not_valid', field }) as const
  const strange = Object.keys(fields).find(
    (name) => !connector.fields.some((each) => each.name === name),
  )
  if (strange !== undefined) return refuse(connector.fields[0]?.name ?? '')
  const options: Record<string, unknown> =
    environment === 'sandbox' ? { ...connector.sandboxOptions } : {}
  for (const { name, isOptional, choices } of connector.fields) {
    const value = (Object.hasOwn(fields, name) ? (fields[name] as string) : '').trim()
    if (value === '' && (isOptional === true || choices !== undefined)) continue
    const isRight =
      choices?.includes(value) ?? (value.length <= LONGEST_CREDENTIAL && CREDENTIAL.test(value))
    if (!isRight) return refuse(name)
    setOption(options, name, value)
  }
  const read = optionsOf(connector, options)
  if (!read.success)
    return refuse(read.error.issues[0]?.path.join('.') || (connector.fields.at(-1)?.name ?? ''))
  return { options: JSON.stringify(options) }
}

const optionsOf = (connector: Connector, options: unknown) =>
  connector.options(z.string()).safeParse(options)

/** `disbursement.apiKey` is the field of an object. */
function setOption(options: Record<string, unknown>, name: string, value: string): void {
  const [group = '', field] = name.split('.')
  options[group] =
    field === undefined ? value : { ...(options[group] as object | undefined), [field]: value }
}

type Named = Pick<MerchantConnection, 'environment' | 'connectionId' | 'connector' | 'serves'>

/** The connection as one of the operators file would be. Throws when this version cannot use it. */
export function networkOf(config: Config, row: Named, options: string): FileConnection {
  const { environment, connectionId: name } = row
  const connector = CONNECTORS.find((each) => each.name === row.connector)
  if (connector === undefined) throw new Error(`there is no connector ${row.connector}`)
  const read = optionsOf(connector, JSON.parse(options))
  if (!read.success)
    throw new Error(`its options are not valid: ${read.error.issues[0]?.path.join('.')}`)
  const address = addressOf(config, environment, connector, read.data)
  if (address === undefined) throw new Error(`${connector.name} has no address for ${environment}`)
  const serves = servedBy(row)
  return {
    environment,
    name,
    connector,
    address,
    takes: true,
    limits: USUAL_LIMITS,
    certificates: undefined,
    options: read.data,
    prompts: connector.prompts.filter((each) => serves.includes(each)),
    pages: HOSTED_METHODS.filter((each) => connector.pages.includes(each) && serves.includes(each)),
  }
}

async function testWithin(
  clock: Pick<Clock, 'after'>,
  { test, destroy }: OpenedNetwork,
): Promise<CredentialTest> {
  let cancel = (): void => {}
  const deadline = new Promise<CredentialTest>((resolve) => {
    const why = `no answer within ${TESTED_WITHIN_MS} ms`
    cancel = clock.after(TESTED_WITHIN_MS, () => resolve({ is: 'not_reached', why }))
  })
  try {
    return await Promise.race([test(), deadline])
  } finally {
    cancel()
    await destroy()
  }
}

// The connections of merchants in one process: opened from the store at the start, and again when
// one is changed. Every process reads the changes of all others within a second.

interface MerchantConnectionsDeps {
  config: Config
  db: Queries
  box: SealedBox
  open: OpenNetwork
  /** Logs that one cannot be opened. */
  failed(error: unknown): void
}

type Known = { row: SealedConnection; opened: OpenedNetwork | undefined }

export function merchantConnections({ config, db, box, open, failed }: MerchantConnectionsDeps) {
  const known = new Map<string, Known>()
  let lastVersion = 0

  function openRow(row: SealedConnection): OpenedNetwork | undefined {
    try {
      return open(
        networkOf(config, row, box.open(row.credentials, credentialsPlace(row.connectionId))),
      )
    } catch (error) {
      failed(new Error(`the connection ${row.connectionId} cannot be opened`, { cause: error }))
      return undefined
    }
  }

  function take(row: SealedConnection): void {
    const before = known.get(row.connectionId)
    const isSame = before?.opened !== undefined && before.row.credentials === row.credentials
    known.set(row.connectionId, { row, opened: isSame ? before.opened : openRow(row) })
    // Its calls in flight end first.
    if (!isSame) void before?.opened?.close().catch(failed)
  }

  return {
    /** All of them, when any has changed since the last reading. */
    read: async (): Promise<readonly OwnedConnection[] | undefined> => {
      const changed = await listChangedConnections(db, lastVersion)
      for (const row of changed) {
        take(row)
        lastVersion = row.version
      }
      return changed.length === 0 ? undefined : [...known.values()].sort(byAge).map(ownedOf)
    },
    /** Ends the calls in flight. */
    close: async (): Promise<void> => {
      await Promise.all([...known.values()].map(({ opened }) => opened?.destroy()))
    },
  }
}

const byAge = ({ row: one }: Known, { row: other }: Known): number =>
  one.createdAt - other.createdAt || (one.connectionId < other.connectionId ? -1 : 1)

/** One that cannot be opened still keeps its account's payments from the installation's wallet. */
function ownedOf({ row, opened }: Known): OwnedConnection {
  const { accountId, environment, connectionId, state } = row
  const { operator, hosted, prompts, pages, statements, refundsWholeOnly } = opened?.connected ?? {
    operator: closedOperator(connectionId),
    hosted: undefined,
    prompts: servedBy(row),
    pages: [],
    statements: undefined,
    refundsWholeOnly: undefined,
  }
  const serves = state === 'removed' ? { prompts: [], pages: [] } : { prompts, pages }
  const isSuspended = state !== 'active' || opened === undefined
  const offers = { refundsWholeOnly, statements: state === 'removed' ? undefined : statements }
  return { accountId, environment, operator, hosted, isSuspended, ...offers, ...serves }
}

function closedOperator(name: string): Operator {
  const closed = async (): Promise<Unknown> => ({
    is: 'unknown',
    why: 'this connection cannot be opened',
    neverLeft: true,
    misconfigured: true,
  })
  return {
    name,
    request: closed,
    status: closed,
    refund: closed,
    refundStatus: closed,
    parseCallback: () => undefined,
  }
}
