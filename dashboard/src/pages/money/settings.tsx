// Settings of the books: the statements that this person gets by email, and the account numbers of
// the journal.
import { Switch, TextInput } from '@mantine/core'
import {
  type JournalAccounts,
  type StatementMails,
  SYSCOHADA,
} from '../../../../server/src/dashboard-api/contract.ts'
import { useRead } from '../../api/account.ts'
import { ask } from '../../api/client.ts'
import { may, usePlace, useSession } from '../../api/session.ts'
import { ConfirmButton, Form, Send } from '../../parts/form.tsx'
import { useMessages } from '../../parts/messages.tsx'
import { Card, Read } from '../../parts/page.tsx'
import { useConnectionName } from '../../parts/values.tsx'
import { useWords } from '../../words/language.tsx'

export const MoneySettings = () => (
  <div className="grid">
    <Emails />
    <Journal />
    <ConnectionJournals />
  </div>
)

const MAILS = ['daily', 'monthly'] as const

/** Each person chooses for themselves. */
function Emails() {
  const { books, emails } = useWords()
  const { mails } = books
  const { base, change, role } = usePlace()
  const { email } = useSession().person
  const { act } = useMessages()
  const reading = useRead(base, 'GET /statement-mails')
  const choose = (next: StatementMails): void =>
    void act(() => change(ask(base, 'PUT /statement-mails', next), 'statement-mails'), emails.saved)
  return (
    <Card title={mails.title}>
      <p className="soft lead">{mails.lead(email)}</p>
      <Read reading={reading}>
        {(chosen) => (
          <div className="stack">
            {MAILS.map((each) => (
              <Switch
                key={each}
                size="md"
                label={mails[each]}
                description={mails[`${each}Help`]}
                checked={chosen[each]}
                disabled={!may(role, 'chooseStatementMails')}
                onChange={({ currentTarget: { checked } }) =>
                  choose({ ...chosen, [each]: checked })
                }
              />
            ))}
            {!chosen.daily && !chosen.monthly && <p className="sub">{mails.off}</p>}
          </div>
        )}
      </Read>
    </Card>
  )
}

const NUMBERS = Object.keys(SYSCOHADA) as (keyof JournalAccounts)[]

function Journal() {
  const { books, shell } = useWords()
  const { journal } = books
  const { base, change, role } = usePlace()
  const reading = useRead(base, 'GET /journal-accounts')
  const mayChange = may(role, 'keepBooks')
  const keep = (accounts: JournalAccounts) =>
    change(ask(base, 'PUT /journal-accounts', accounts), 'journal-accounts')
  return (
    <Card title={journal.title}>
      <p className="soft lead">{journal.lead}</p>
      <Read reading={reading}>
        {(accounts) => (
          <div className="stack">
            {/* The fields begin again after a reset. */}
            <Form
              key={Object.values(accounts).join(' ')}
              done={shell.saved}
              onSend={(fields) => keep({ ...accounts, ...fields })}
            >
              <div className="filter-fields columns wide">
                {NUMBERS.map((name) => (
                  <TextInput
                    key={name}
                    name={name}
                    label={journal.names[name]}
                    description={journal.usual(SYSCOHADA[name])}
                    defaultValue={accounts[name]}
                    required
                    withAsterisk={false}
                    pattern="[0-9A-Za-z]{1,12}"
                    title={journal.form}
                    maxLength={12}
                    disabled={!mayChange}
                  />
                ))}
              </div>
              {mayChange && <Send>{shell.save}</Send>}
            </Form>
            {mayChange && NUMBERS.some((name) => accounts[name] !== SYSCOHADA[name]) && (
              <div className="buttons">
                <ConfirmButton
                  title={journal.resetTitle}
                  lead={journal.resetLead}
                  act={journal.reset}
                  onAct={() => keep(SYSCOHADA)}
                  done={shell.saved}
                />
              </div>
            )}
          </div>
        )}
      </Read>
    </Card>
  )
}

/** An accountant keeps each wallet in an account of its own. */
function ConnectionJournals() {
  const { books, shell } = useWords()
  const { journal } = books
  const { base, change, role } = usePlace()
  const nameOf = useConnectionName()
  const reading = useRead(base, 'GET /connection-journals')
  const mayChange = may(role, 'keepBooks')
  return (
    <Read reading={reading}>
      {({ rows }) =>
        rows.length > 0 && (
          <Card title={journal.ofConnections}>
            <p className="soft lead">{journal.ofConnectionsLead}</p>
            <div className="stack">
              {rows.map(({ connection, connectionLabel, ...own }) => (
                <Form
                  key={`${connection} ${own.journal} ${own.electronicMoney}`}
                  done={shell.saved}
                  onSend={(fields) =>
                    change(
                      ask(base, 'PUT /connection-journals', { connection, ...own, ...fields }),
                      'connection-journals',
                    )
                  }
                >
                  <h3>{nameOf({ connection, connectionLabel })}</h3>
                  <div className="filter-fields columns wide">
                    {(['journal', 'electronicMoney'] as const).map((name) => (
                      <TextInput
                        key={name}
                        name={name}
                        label={journal.names[name]}
                        description={journal.asAccount}
                        defaultValue={own[name]}
                        pattern="[0-9A-Za-z]{1,12}"
                        title={journal.form}
                        maxLength={12}
                        disabled={!mayChange}
                      />
                    ))}
                  </div>
                  {mayChange && <Send>{shell.save}</Send>}
                </Form>
              ))}
            </div>
          </Card>
        )
      }
    </Read>
  )
}
