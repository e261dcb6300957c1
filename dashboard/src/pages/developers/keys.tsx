// API keys: created with limited rights, rolled with an overlap, revoked. A secret is shown once.
import { Checkbox, Menu, NativeSelect, Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import {
  type AccountRoleName,
  type EnvironmentName,
  type KeyRow,
  type NewKeyBody,
  permissionsOfKey,
  permissionsOfRole,
  USUAL_PERMISSIONS,
} from '../../../../server/src/dashboard-api/contract.ts'
import { usePages } from '../../api/account.ts'
import { ask } from '../../api/client.ts'
import { may, usePlace } from '../../api/session.ts'
import { formatDayAndTime } from '../../format.ts'
import {
  AddButton,
  bound,
  Confirm,
  choicesOf,
  type Fields,
  FormDialog,
  Send,
  ShownOnce,
} from '../../parts/form.tsx'
import { LockIcon } from '../../parts/icons.tsx'
import { KeptSecrets, useAcknowledge } from '../../parts/kept-secrets.tsx'
import { useMessages } from '../../parts/messages.tsx'
import { Card, Empty, LeadRow } from '../../parts/page.tsx'
import { type Column, menuColumn, PagedRows, TwoLines } from '../../parts/rows.tsx'
import { CodeBlock, Copyable, When } from '../../parts/values.tsx'
import { useWords } from '../../words/language.tsx'

type Question = { what: 'roll' | 'revoke'; key: KeyRow }

export function Keys() {
  const { keys } = useWords()
  const { base, change, environment, role } = usePlace()
  const { act, say } = useMessages()
  const pages = usePages(base, 'GET /keys')
  const [isNew, setNew] = useState(false)
  const [made, setMade] = useState<NewKeyBody>()
  const [question, setQuestion] = useState<Question>()
  const isOwn = may(role, 'manageKeys')
  const columns = useColumns(isOwn ? setQuestion : undefined, role)
  const what = question?.what ?? 'revoke'
  const isKept = environment === 'sandbox' && made?.key.kind === 'secret'
  const acknowledge = useAcknowledge()
  const closeMade = (): void => {
    setMade(undefined)
    if (isKept) void act(() => acknowledge(made.key.keyId))
  }
  const settle = async ({ what, key: { keyId } }: Question): Promise<void> => {
    if (what === 'roll') {
      setMade(await change(ask(base, 'POST /keys/:keyId/roll', { keyId }), 'keys'))
    } else {
      await change(ask(base, 'POST /keys/:keyId/revoke', { keyId }), 'keys')
      say(keys.revoked)
    }
  }
  const secretLead = isKept ? keys.keptLead : keys.shownOnceLead
  return (
    <div className="stack">
      <LeadRow lead={keys.lead}>
        {isOwn && <AddButton onClick={() => setNew(true)}>{keys.add}</AddButton>}
      </LeadRow>
      <KeptSecrets of="key" />
      <PagedRows
        label={keys.key}
        pages={pages}
        columns={columns}
        keyOf={({ keyId }) => keyId}
        empty={
          <Empty icon={<LockIcon size={40} />} title={keys.empty} help={keys.emptyHelp}>
            {isOwn && <AddButton onClick={() => setNew(true)}>{keys.add}</AddButton>}
          </Empty>
        }
      />
      <Card title={keys.first}>
        <p className="soft lead">{keys.firstLead}</p>
        <CodeBlock text={firstPayment(location.origin, environment)} name={keys.first} />
      </Card>
      <NewKey isOpen={isNew} close={() => setNew(false)} made={setMade} />
      <ShownOnce
        title={made?.key.kind === 'public' ? keys.publicMade : keys.shownOnce}
        lead={made?.key.kind === 'public' ? keys.publicMadeLead : secretLead}
        act={keys.copied}
        secret={made?.secret}
        close={closeMade}
      />
      <Confirm
        isOpen={question !== undefined}
        close={() => setQuestion(undefined)}
        title={keys[`${what}Title`]}
        lead={keys[`${what}Lead`]}
        act={keys[what]}
        isDangerous={what === 'revoke'}
        onAct={async () => question && settle(question)}
      />
    </div>
  )
}

function Maker({
  name,
  hasRights,
  isValid,
}: {
  name: string
  hasRights: boolean
  isValid: boolean
}) {
  const { keys } = useWords()
  return hasRights || !isValid ? (
    <span className="sub">{keys.madeBy(name)}</span>
  ) : (
    <span className="sub warn">{keys.madeByWithoutRights(name)}</span>
  )
}

/** A rolled key expires by itself. Only a person with all rights of a key can roll it. */
const mayRoll = ({ kind, permissions, expiresAt }: KeyRow, role: AccountRoleName): boolean =>
  expiresAt === null &&
  permissionsOfKey(kind, permissions).every((each) => permissionsOfRole(role).includes(each))

function useColumns(
  ask: ((question: Question) => void) | undefined,
  role: AccountRoleName,
): Column<KeyRow>[] {
  const words = useWords()
  const { keys, webhooks } = words
  return [
    {
      heading: keys.key,
      cell: ({ name, kind, shownAs, expiresAt, madeBy }) => (
        <>
          <b>{name ?? keys.kinds[kind]}</b>
          <span className="sub">
            {kind === 'public' ? (
              <Copyable text={shownAs} name={keys.key} />
            ) : (
              <span className="mono">{shownAs}</span>
            )}
          </span>
          {madeBy !== null && (
            <Maker {...madeBy} isValid={expiresAt === null || expiresAt > Date.now()} />
          )}
          {expiresAt !== null && (
            <span className="sub warn">{keys.ends(formatDayAndTime(expiresAt))}</span>
          )}
        </>
      ),
    },
    {
      heading: keys.permissions,
      from: 'sm',
      cell: ({ kind, permissions, networks }) => {
        const listed =
          permissions?.map((each) => keys.permission[each]).join(', ') ?? keys.everything
        return (
          <TwoLines sub={networks?.join(', ') || null} is="mono">
            {kind === 'public' ? '–' : listed}
          </TwoLines>
        )
      },
    },
    {
      heading: keys.lastUsed,
      from: 'sm',
      isTight: true,
      cell: ({ lastUsedAt }) =>
        lastUsedAt === null ? (
          <span className="soft">{words.shell.never}</span>
        ) : (
          <When at={lastUsedAt} />
        ),
    },
    ...menuColumn<KeyRow>(
      webhooks.actions,
      ({ name, shownAs }) => name ?? shownAs,
      ask &&
        ((key) => (
          <>
            {mayRoll(key, role) && (
              <Menu.Item onClick={() => ask({ what: 'roll', key })}>{keys.roll}</Menu.Item>
            )}
            <Menu.Item color="red" onClick={() => ask({ what: 'revoke', key })}>
              {keys.revoke}
            </Menu.Item>
          </>
        )),
    ),
  ]
}

/**
 * It gets at most the rights of the person who makes it, and may be limited to listed IP addresses.
 */
function NewKey({
  isOpen,
  close,
  made,
}: {
  isOpen: boolean
  close(): void
  made(key: NewKeyBody): void
}) {
  const { common, keys } = useWords()
  const { base, change, role } = usePlace()
  const offered = permissionsOfRole(role)
  const [kind, setKind] = useState<'secret' | 'public'>('secret')
  const [isForWebhooks, setForWebhooks] = useState(false)
  const isSecret = kind === 'secret'
  const send = ({ name = '', networks: typed = '', ...fields }: Fields) => {
    const networks = typed.split(/[\s,;]+/).filter(Boolean)
    const permissions = offered.filter((each) => fields[each] !== undefined)
    if (!isSecret) return ask(base, 'POST /keys', { kind, name })
    return ask(base, 'POST /keys', {
      name,
      permissions,
      networks: networks.length === 0 ? null : networks,
    })
  }
  return (
    <FormDialog
      isOpen={isOpen}
      close={close}
      title={keys.add}
      onSend={(fields) => change(send(fields), 'keys')}
      sent={made}
    >
      <NativeSelect
        label={keys.kind}
        description={isSecret ? keys.secretHelp : keys.publicHelp}
        data={choicesOf(keys.kinds, ['secret', 'public'])}
        {...bound(kind, setKind)}
      />
      <TextInput
        name="name"
        label={common.name}
        description={keys.nameHelp}
        required
        maxLength={60}
        data-autofocus
      />
      {isSecret && (
        <fieldset className="choices">
          <legend>{keys.permissions}</legend>
          {offered.map((each) => (
            <Checkbox
              key={each}
              name={each}
              label={keys.permission[each]}
              defaultChecked={USUAL_PERMISSIONS.some((usual) => usual === each)}
              {...(each === 'webhooks'
                ? { onChange: ({ currentTarget }) => setForWebhooks(currentTarget.checked) }
                : { disabled: isForWebhooks })}
            />
          ))}
          {isForWebhooks && <p className="soft">{keys.webhooksHelp}</p>}
          {!offered.includes('refund') && <p className="soft">{keys.permissionsHelp}</p>}
        </fieldset>
      )}
      {isSecret && (
        <Textarea name="networks" label={keys.networks} description={keys.networksHelp} rows={3} />
      )}
      <Send>{keys.create}</Send>
    </FormDialog>
  )
}

const firstPayment = (origin: string, environment: EnvironmentName): string =>
  [
    `curl -s ${origin}/api/v1/payments \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -H 'Authorization: Bearer sk_${environment}_…' \\`,
    `  -H 'Svc-Target-Environment: ${environment}' \\`,
    `  -H 'Svc-Payment-Type: mobile' \\`,
    `  -d '{"amount":1500,"country":"NE","currency":"XOF","msisdn":"90123456","transaction_id":"order-1","customer_name":"Awa"}'`,
  ].join('\n')
