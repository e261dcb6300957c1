// The account's own connections to networks. Credentials are entered here and never shown again.
import { Checkbox, Menu, NativeSelect, PasswordInput, Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import type {
  OwnConnectionRow,
  OwnConnectionsBody,
} from '../../../../server/src/dashboard-api/contract.ts'
import { useRead } from '../../api/account.ts'
import { ask } from '../../api/client.ts'
import { may, usePlace } from '../../api/session.ts'
import { dotted } from '../../format.ts'
import {
  AddButton,
  bound,
  Confirm,
  Dialog,
  type Fields,
  FormDialog,
  Send,
} from '../../parts/form.tsx'
import { ConnectionIcon } from '../../parts/icons.tsx'
import { useMessages } from '../../parts/messages.tsx'
import { MoneyChanges, ProofField, proofOf } from '../../parts/money-changes.tsx'
import { Card, Empty, LeadRow, Read } from '../../parts/page.tsx'
import { type Column, menuColumn, Rows, TwoLines } from '../../parts/rows.tsx'
import { CodeBlock, State, type Tone, useConnectionName, When } from '../../parts/values.tsx'
import { useWords } from '../../words/language.tsx'

type Offered = OwnConnectionsBody['offered'][number]
type Asked = 'replace' | 'suspend' | 'remove' | 'callback'
type Deed = Asked | 'test' | 'activate'
type ConnectionVerb = 'suspend' | 'activate' | 'remove' | 'test'

export const CONNECTION_TONES: Readonly<Record<OwnConnectionRow['state'], Tone>> = {
  active: 'good',
  suspended: 'calm',
  paused: 'wait',
  refused: 'bad',
  down: 'bad',
}

export function Networks() {
  const { books, networks } = useWords()
  const { base, change, role } = usePlace()
  const { act } = useMessages()
  const reading = useRead(base, 'GET /connections')
  const [isNew, setNew] = useState(false)
  const [asked, setAsked] = useState<{ is: Asked; row: OwnConnectionRow }>()
  const isOwn = may(role, 'manageConnections')
  const send = (deed: Deed & ConnectionVerb, row: OwnConnectionRow) =>
    change(
      ask(base, `POST /connections/:connectionId/${deed}`, { connectionId: row.connectionId }),
      'connections',
    )
  const doIt = (deed: Deed, row: OwnConnectionRow): void => {
    if (deed === 'test') void act(() => send('test', row), networks.tested)
    else if (deed === 'activate') void act(() => send('activate', row), networks.activated)
    else setAsked({ is: deed, row })
  }
  const columns = useColumns(isOwn ? doIt : undefined)
  const close = (): void => setAsked(undefined)
  return (
    <div className="stack">
      <LeadRow lead={networks.lead}>
        {isOwn && <AddButton onClick={() => setNew(true)}>{networks.add}</AddButton>}
      </LeadRow>
      <MoneyChanges />
      <Read reading={reading}>
        {({ rows, offered, callbackBase }) => (
          <>
            <Card flush>
              {rows.length === 0 ? (
                <Empty
                  icon={<ConnectionIcon size={40} />}
                  title={networks.empty}
                  help={networks.emptyHelp}
                />
              ) : (
                <Rows
                  label={books.connection}
                  columns={columns}
                  rows={rows}
                  keyOf={({ connectionId }) => connectionId}
                />
              )}
            </Card>
            <NewConnection isOpen={isNew} close={() => setNew(false)} offered={offered} />
            <Replace
              row={asked?.is === 'replace' ? asked.row : undefined}
              close={close}
              offered={offered}
            />
            <CallbackAddress
              row={asked?.is === 'callback' ? asked.row : undefined}
              close={close}
              callbackBase={callbackBase}
            />
            {(['suspend', 'remove'] as const).map((deed) => (
              <Confirm
                key={deed}
                isOpen={asked?.is === deed}
                close={close}
                title={networks.sure[deed](asked?.row.label ?? '')}
                lead={networks.consequences[deed]}
                act={networks[deed]}
                isDangerous={deed === 'remove'}
                onAct={() => send(deed, asked?.row as OwnConnectionRow)}
                done={networks.done[deed]}
              />
            ))}
          </>
        )}
      </Read>
    </div>
  )
}

function useColumns(
  doIt: ((deed: Deed, row: OwnConnectionRow) => void) | undefined,
): Column<OwnConnectionRow>[] {
  const { books, common, networks, webhooks } = useWords()
  const servedName = useConnectionName()
  return [
    {
      heading: books.connection,
      cell: ({ label, connector, serves }) => (
        <TwoLines sub={dotted(servedName(connector), serves.map(servedName).join(', '))}>
          <b>{label}</b>
        </TwoLines>
      ),
    },
    {
      heading: networks.entered,
      from: 'md',
      cell: ({ credentialsAt }) => <When at={credentialsAt} />,
    },
    {
      heading: common.state,
      isBelow: true,
      cell: ({ state, reason }) => (
        <TwoLines sub={reason}>
          <State tone={CONNECTION_TONES[state]}>{networks.states[state]}</State>
        </TwoLines>
      ),
    },
    ...menuColumn<OwnConnectionRow>(
      webhooks.actions,
      ({ label }) => label,
      doIt &&
        ((row) => (
          <>
            <Menu.Item onClick={() => doIt('test', row)}>{networks.test}</Menu.Item>
            <Menu.Item onClick={() => doIt('replace', row)}>{networks.replace}</Menu.Item>
            <Menu.Item onClick={() => doIt('callback', row)}>{networks.callback}</Menu.Item>
            <Menu.Item
              onClick={() => doIt(row.state === 'suspended' ? 'activate' : 'suspend', row)}
            >
              {row.state === 'suspended' ? common.resume : networks.suspend}
            </Menu.Item>
            <Menu.Item color="red" onClick={() => doIt('remove', row)}>
              {networks.remove}
            </Menu.Item>
          </>
        )),
    ),
  ]
}

const FIELD = 'field.'
const SERVES = 'serves.'

/** The form's fields whose names begin so, without the beginning and without empty ones. */
const startingWith = (fields: Fields, start: string): Fields =>
  Object.fromEntries(
    Object.entries(fields)
      .filter(([name, value]) => name.startsWith(start) && value !== '')
      .map(([name, value]) => [name.slice(start.length), value]),
  )

type NewConnectionProps = { isOpen: boolean; close(): void; offered: readonly Offered[] }

function NewConnection({ isOpen, close, offered }: NewConnectionProps) {
  const { common, moneyChanges, networks } = useWords()
  const { base, change, environment } = usePlace()
  const { say } = useMessages()
  const [chosen, setChosen] = useState('')
  const servedName = useConnectionName()
  const network = offered.find(({ connector }) => connector === chosen) ?? offered[0]
  if (network === undefined) {
    return (
      <Dialog isOpen={isOpen} close={close} title={networks.add}>
        <p>{networks.noneOffered}</p>
      </Dialog>
    )
  }
  const { connector, serves } = network
  return (
    <FormDialog
      isOpen={isOpen}
      close={close}
      title={networks.add}
      sent={({ is }) => say(is === 'waiting' ? moneyChanges.sent : networks.added)}
      onSend={({ label = '', ...fields }) => {
        const served = Object.keys(startingWith(fields, SERVES))
        const sent = {
          connector,
          label,
          serves: served,
          fields: startingWith(fields, FIELD),
          ...proofOf(fields),
        }
        return change(ask(base, 'POST /connections', sent), 'connections', 'money-changes')
      }}
    >
      <NativeSelect
        label={networks.network}
        data={offered.map(({ connector: value }) => ({ value, label: servedName(value) }))}
        {...bound(connector, setChosen)}
      />
      <TextInput
        name="label"
        label={common.name}
        description={networks.labelHelp}
        maxLength={60}
        required
      />
      <fieldset className="choices" key={connector}>
        <legend>{networks.serves}</legend>
        {serves.map((each) => (
          <Checkbox key={each} name={SERVES + each} label={servedName(each)} defaultChecked />
        ))}
      </fieldset>
      <CredentialFields key={`${connector} fields`} network={network} />
      <p className="soft">{networks.testedFirst}</p>
      {environment === 'live' && <ProofField />}
      <Send>{networks.connect}</Send>
    </FormDialog>
  )
}

/** Optional fields follow the required ones. */
function CredentialFields({ network: { fields } }: { network: Offered }) {
  const { networks, people } = useWords()
  return fields
    .toSorted((one, other) => Number(one.isOptional) - Number(other.isOptional))
    .map(({ name, isOptional, choices }) => {
      const label = networks.fields[name] ?? name
      const common = {
        name: FIELD + name,
        label: isOptional ? networks.optional(label) : label,
        required: !isOptional,
      }
      if (choices.length > 0) {
        const data = choices.map((value) => ({
          value,
          label: networks.choices[`${name}.${value}`] ?? value,
        }))
        return <NativeSelect key={name} {...common} required={false} data={data} />
      }
      // A private key has several lines.
      return name === 'signingKey' ? (
        <Textarea
          key={name}
          {...common}
          classNames={{ input: 'mono' }}
          rows={4}
          autoComplete="off"
          spellCheck={false}
        />
      ) : (
        <PasswordInput
          key={name}
          {...common}
          size="md"
          autoComplete="off"
          spellCheck={false}
          visibilityToggleButtonProps={{ 'aria-label': people.showPassword, tabIndex: 0 }}
        />
      )
    })
}

type RowDialogProps = { row: OwnConnectionRow | undefined; close(): void }

function Replace({ row, close, offered }: RowDialogProps & { offered: readonly Offered[] }) {
  const { moneyChanges, networks } = useWords()
  const { base, change, environment } = usePlace()
  const { say } = useMessages()
  const network = offered.find(({ connector }) => connector === row?.connector)
  return (
    <FormDialog
      isOpen={row !== undefined}
      close={close}
      title={networks.replaceTitle(row?.label ?? '')}
      sent={({ is }) => say(is === 'waiting' ? moneyChanges.sent : networks.replaced)}
      onSend={(fields) => {
        const sent = { fields: startingWith(fields, FIELD), ...proofOf(fields) }
        const { connectionId = '' } = row ?? {}
        const address = 'PUT /connections/:connectionId/credentials'
        return change(ask(base, address, { connectionId, ...sent }), 'connections', 'money-changes')
      }}
    >
      <p>{networks.replaceLead}</p>
      {network !== undefined && <CredentialFields network={network} />}
      {environment === 'live' && <ProofField />}
      <Send>{networks.replace}</Send>
    </FormDialog>
  )
}

function CallbackAddress({
  row,
  close,
  callbackBase,
}: RowDialogProps & { callbackBase: string | null }) {
  const { networks } = useWords()
  return (
    <Dialog isOpen={row !== undefined} close={close} title={networks.callback}>
      <div className="stack">
        <p>{callbackBase === null ? networks.noCallback : networks.callbackLead}</p>
        {callbackBase !== null && (
          <CodeBlock
            text={`${callbackBase}/${row?.connectionId}/callback`}
            name={networks.callback}
          />
        )}
      </div>
    </Dialog>
  )
}
