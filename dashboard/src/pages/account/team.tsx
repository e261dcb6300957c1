// The merchant's team: members, their roles, and pending invitations.

import { Button, Menu, NativeSelect, TextInput } from '@mantine/core'
import { useState } from 'react'
import type {
  InvitationRow,
  MemberRow,
  MerchantRoleName,
  TeamBody,
} from '../../../../server/src/dashboard-api/shapes.ts'
import { useChange, useRead } from '../../api/account.ts'
import { post } from '../../api/client.ts'
import { may, usePlace } from '../../api/session.ts'
import * as format from '../../format.ts'
import { Confirm, Dialog, Form, Send } from '../../parts/form.tsx'
import { PlusIcon } from '../../parts/icons.tsx'
import { useMessages } from '../../parts/messages.tsx'
import { Card, Read } from '../../parts/page.tsx'
import { type Column, menuColumn, Rows } from '../../parts/rows.tsx'
import { When } from '../../parts/values.tsx'
import { useSpoken, useWords } from '../../words/language.tsx'

const ROLES: readonly MerchantRoleName[] = ['owner', 'developer', 'cashier', 'viewer']

export function Team() {
  const { account, people } = useWords()
  const { team } = people
  const { base, role } = usePlace()
  const reading = useRead<TeamBody>(base, 'team')
  const { complain } = useMessages()
  const [isInviting, setInviting] = useState(false)
  const [leaving, setLeaving] = useState<MemberRow>()
  const isOwn = may(role, 'manageTeam')
  const change = useChange(
    base,
    ({ personId, to }: { personId: string; to: MerchantRoleName }) =>
      post(`${base}/team/${personId}/role`, { role: to }),
    ['team'],
  )
  const drop = useChange(base, (personId: string) => post(`${base}/team/${personId}/remove`), ['team'])
  const columns = useColumns(
    isOwn ? (member, to) => change.mutate({ personId: member.personId, to }, { onError: complain }) : undefined,
    setLeaving,
  )
  return (
    <div className="stack">
      <div className="lead-row">
        <p className="soft">{team.lead}</p>
        {isOwn && (
          <Button leftSection={<PlusIcon size={18} />} onClick={() => setInviting(true)}>
            {team.invite}
          </Button>
        )}
      </div>
      <Read reading={reading}>
        {({ members, invitations }) => (
          <>
            <Card flush>
              <Rows label={account.tabs.team} columns={columns} rows={members} keyOf={({ personId }) => personId} />
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
        onAct={async () => {
          if (leaving !== undefined) await drop.mutateAsync(leaving.personId)
        }}
      />
    </div>
  )
}

type ChangeRole = (member: MemberRow, to: MerchantRoleName) => void

function useColumns(changeRole: ChangeRole | undefined, leave: (member: MemberRow) => void): Column<MemberRow>[] {
  const { words } = useSpoken()
  const { team } = words.people
  return [
    {
      heading: words.common.name,
      cell: ({ name, email }) => (
        <>
          <b>{name}</b>
          <span className="sub breaks">{email}</span>
        </>
      ),
    },
    { heading: team.role, isBelow: true, cell: ({ role }) => words.shell.roles[role] },
    { heading: team.twoSteps, from: 'sm', cell: ({ totp }) => (totp ? team.yes : team.no) },
    {
      heading: team.lastSeen,
      from: 'md',
      cell: ({ lastSeenAt }) =>
        lastSeenAt === null ? <span className="soft">{words.shell.never}</span> : <When at={lastSeenAt} />,
    },
    ...menuColumn<MemberRow>(
      words.developers.webhooks.actions,
      ({ name }) => name,
      changeRole &&
        ((member) => (
          <>
            <Menu.Label aria-hidden="true">{team.role}</Menu.Label>
            {ROLES.map((each) => (
              <Menu.Item key={each} disabled={each === member.role} onClick={() => changeRole(member, each)}>
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

function Invitations({ invitations, isOwn }: { invitations: readonly InvitationRow[]; isOwn: boolean }) {
  const { words, language } = useSpoken()
  const { team } = words.people
  const { base } = usePlace()
  const { complain } = useMessages()
  const withdraw = useChange(base, (id: string) => post(`${base}/invitations/${id}/withdraw`), ['team'])
  return (
    <Card title={team.waiting}>
      <ul className="plain-list">
        {invitations.map(({ invitationId, email, role, expiresAt }) => (
          <li key={invitationId}>
            <span>
              <b>{email}</b>
              <span className="sub">
                {words.shell.roles[role]} · {team.until(format.day(expiresAt, language))}
              </span>
            </span>
            {isOwn && (
              <Button
                variant="default"
                aria-label={`${team.withdraw} ${email}`}
                onClick={() => withdraw.mutate(invitationId, { onError: complain })}
              >
                {team.withdraw}
              </Button>
            )}
          </li>
        ))}
      </ul>
    </Card>
  )
}

function Invite({ isOpen, close }: { isOpen: boolean; close(): void }) {
  const { people, shell } = useWords()
  const { team } = people
  const { base } = usePlace()
  const { say } = useMessages()
  const [role, setRole] = useState<MerchantRoleName>('cashier')
  const invite = useChange(
    base,
    (input: { email: string; role: MerchantRoleName }) => post(`${base}/invitations`, input),
    ['team'],
  )
  return (
    <Dialog isOpen={isOpen} close={close} title={team.inviteTitle}>
      <Form
        onSend={async ({ email = '' }) => {
          await invite.mutateAsync({ email, role })
          say(team.invited(email))
          close()
        }}
      >
        <TextInput name="email" type="email" label={people.email} required data-autofocus />
        <NativeSelect
          label={team.role}
          description={team.roleHelp[role]}
          value={role}
          onChange={({ currentTarget }) => setRole(currentTarget.value as MerchantRoleName)}
          data={ROLES.map((value) => ({ value, label: shell.roles[value] }))}
        />
        <Send>{team.invite}</Send>
      </Form>
    </Dialog>
  )
}
