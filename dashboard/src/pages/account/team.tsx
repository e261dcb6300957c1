// The merchant's team: members, their roles, and pending invitations.
import { Menu, NativeSelect, TextInput } from '@mantine/core'
import { useState } from 'react'
import {
  type InvitationRow,
  MERCHANT_ROLES,
  type MemberRow,
  type MerchantRole,
} from '../../../../server/src/dashboard-api/contract.ts'
import { useRead } from '../../api/account.ts'
import { ask } from '../../api/client.ts'
import { may, usePlace } from '../../api/session.ts'
import { dotted, formatDay } from '../../format.ts'
import {
  AddButton,
  bound,
  Confirm,
  choicesOf,
  FormDialog,
  RowButton,
  Send,
} from '../../parts/form.tsx'
import { useMessages } from '../../parts/messages.tsx'
import { type Proof, ProofField, proofOf } from '../../parts/money-changes.tsx'
import { Card, LeadRow, Read } from '../../parts/page.tsx'
import { type Column, menuColumn, Rows, TwoLines } from '../../parts/rows.tsx'
import { When } from '../../parts/values.tsx'
import { useWords } from '../../words/language.tsx'

export function Team() {
  const { account, team } = useWords()
  const { base, change, role } = usePlace()
  const reading = useRead(base, 'GET /team')
  const { act } = useMessages()
  const [isInviting, setInviting] = useState(false)
  const [leaving, setLeaving] = useState<MemberRow>()
  const isOwn = may(role, 'manageTeam')
  const [ownerRole, setOwnerRole] = useState<Asked>()
  const sendRole = ({ personId }: MemberRow, to: MerchantRole, proof: Proof = {}) =>
    change(ask(base, 'POST /team/:personId/role', { personId, role: to, ...proof }), 'team')
  const changeRole: ChangeRole = (member, to) => {
    if (member.role === 'owner' || to === 'owner') setOwnerRole({ member, to })
    else void act(() => sendRole(member, to))
  }
  const remove = ({ personId }: MemberRow, proof: Proof = {}) =>
    change(ask(base, 'POST /team/:personId/remove', { personId, ...proof }), 'team')
  const columns = useColumns(isOwn ? changeRole : undefined, setLeaving)
  return (
    <div className="stack">
      <LeadRow lead={team.lead}>
        {isOwn && <AddButton onClick={() => setInviting(true)}>{team.invite}</AddButton>}
      </LeadRow>
      <Read reading={reading}>
        {({ members, invitations }) => (
          <>
            <Card flush>
              <Rows
                label={account.tabs.team}
                columns={columns}
                rows={members}
                keyOf={({ personId }) => personId}
              />
            </Card>
            {invitations.length > 0 && <Invitations invitations={invitations} isOwn={isOwn} />}
          </>
        )}
      </Read>
      <Invite isOpen={isInviting} close={() => setInviting(false)} />
      <OwnerRole
        asked={ownerRole}
        close={() => setOwnerRole(undefined)}
        onSend={({ member, to }, proof) => sendRole(member, to, proof)}
      />
      <FormDialog
        isOpen={leaving?.role === 'owner'}
        close={() => setLeaving(undefined)}
        title={team.remove}
        onSend={async (fields) => leaving && remove(leaving, proofOf(fields))}
      >
        <p>{team.removeSure(leaving?.name ?? '')}</p>
        <p className="soft">{team.ownerHelp}</p>
        <ProofField />
        <Send>{team.remove}</Send>
      </FormDialog>
      <Confirm
        isOpen={leaving !== undefined && leaving.role !== 'owner'}
        close={() => setLeaving(undefined)}
        title={team.remove}
        lead={team.removeSure(leaving?.name ?? '')}
        act={team.remove}
        isDangerous
        onAct={async () => leaving && remove(leaving)}
      />
    </div>
  )
}

type ChangeRole = (member: MemberRow, to: MerchantRole) => void
type Asked = { member: MemberRow; to: MerchantRole }

/** Somebody becomes an owner, or stops being one: with the password or a code again. */
function OwnerRole({
  asked,
  close,
  onSend,
}: {
  asked: Asked | undefined
  close(): void
  onSend(asked: Asked, proof: Proof): Promise<unknown>
}) {
  const { shell, team } = useWords()
  return (
    <FormDialog
      isOpen={asked !== undefined}
      close={close}
      title={team.ownerTitle}
      onSend={async (fields) => asked && onSend(asked, proofOf(fields))}
    >
      <p>{team.newRole(asked?.member.name ?? '', asked ? shell.roles[asked.to] : '')}</p>
      <p className="soft">{team.ownerHelp}</p>
      <ProofField />
      <Send>{shell.confirm}</Send>
    </FormDialog>
  )
}

function useColumns(
  changeRole: ChangeRole | undefined,
  leave: (member: MemberRow) => void,
): Column<MemberRow>[] {
  const words = useWords()
  const { team } = words
  return [
    {
      heading: words.common.name,
      cell: ({ name, email }) => (
        <TwoLines sub={email} is="breaks">
          <b>{name}</b>
        </TwoLines>
      ),
    },
    { heading: team.role, isBelow: true, cell: ({ role }) => words.shell.roles[role] },
    { heading: team.twoSteps, from: 'sm', cell: ({ totp }) => (totp ? team.yes : team.no) },
    {
      heading: team.lastSeen,
      from: 'md',
      cell: ({ lastSeenAt }) =>
        lastSeenAt === null ? (
          <span className="soft">{words.shell.never}</span>
        ) : (
          <When at={lastSeenAt} />
        ),
    },
    ...menuColumn<MemberRow>(
      words.webhooks.actions,
      ({ name }) => name,
      changeRole &&
        ((member) => (
          <>
            <Menu.Label aria-hidden="true">{team.role}</Menu.Label>
            {MERCHANT_ROLES.map((each) => (
              <Menu.Item
                key={each}
                disabled={each === member.role}
                onClick={() => changeRole(member, each)}
              >
                {words.shell.roles[each]}
              </Menu.Item>
            ))}
            <Menu.Divider />
            <Menu.Item color="red" onClick={() => leave(member)}>
              {team.remove}
            </Menu.Item>
          </>
        )),
    ),
  ]
}

function Invitations({
  invitations,
  isOwn,
}: {
  invitations: readonly InvitationRow[]
  isOwn: boolean
}) {
  const words = useWords()
  const { team } = words
  const { base, change } = usePlace()
  const { act } = useMessages()
  const withdraw = (id: string) =>
    change(ask(base, 'POST /invitations/:invitationId/withdraw', { invitationId: id }), 'team')
  return (
    <Card title={team.waiting}>
      <ul className="plain-list wraps">
        {invitations.map(({ invitationId, email, role, expiresAt }) => (
          <li key={invitationId}>
            <div>
              <b>{email}</b>
              <span className="sub">
                {dotted(words.shell.roles[role], team.until(formatDay(expiresAt)))}
              </span>
            </div>
            {isOwn && (
              <RowButton
                name={team.withdraw}
                label={`${team.withdraw} ${email}`}
                onClick={() => void act(() => withdraw(invitationId))}
              />
            )}
          </li>
        ))}
      </ul>
    </Card>
  )
}

function Invite({ isOpen, close }: { isOpen: boolean; close(): void }) {
  const { people, shell, team } = useWords()
  const { base, change } = usePlace()
  const { say } = useMessages()
  const [role, setRole] = useState<MerchantRole>('cashier')
  return (
    <FormDialog
      isOpen={isOpen}
      close={close}
      title={team.inviteTitle}
      onSend={async ({ email = '', ...fields }) => {
        await change(ask(base, 'POST /invitations', { email, role, ...proofOf(fields) }), 'team')
        say(team.invited(email))
      }}
    >
      <TextInput name="email" type="email" label={people.email} required data-autofocus />
      <NativeSelect
        label={team.role}
        description={team.roleHelp[role]}
        data={choicesOf(shell.roles, MERCHANT_ROLES)}
        {...bound(role, setRole)}
      />
      {role === 'owner' && (
        <>
          <p className="soft">{team.ownerHelp}</p>
          <ProofField />
        </>
      )}
      <Send>{team.invite}</Send>
    </FormDialog>
  )
}
