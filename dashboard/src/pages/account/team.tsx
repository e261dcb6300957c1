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
  const changeRole: ChangeRole = ({ personId }, to) =>
    void act(() => change(ask(base, 'POST /team/:personId/role', { personId, role: to }), 'team'))
  const remove = ({ personId }: MemberRow) =>
    change(ask(base, 'POST /team/:personId/remove', { personId }), 'team')
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
      <Confirm
        isOpen={leaving !== undefined}
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
      onSend={async ({ email = '' }) => {
        await change(ask(base, 'POST /invitations', { email, role }), 'team')
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
      <Send>{team.invite}</Send>
    </FormDialog>
  )
}
