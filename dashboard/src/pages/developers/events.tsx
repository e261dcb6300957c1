// The account's feed of events, newest first.
import { Modal } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { EventRow } from '../../../../server/src/dashboard-api/shapes.ts'
import { usePages } from '../../api/account.ts'
import { CodeBlock } from '../../parts/copy.tsx'
import { InboxIcon } from '../../parts/icons.tsx'
import { Card, Empty } from '../../parts/page.tsx'
import { PagedRows } from '../../parts/rows.tsx'
import { When } from '../../parts/when.tsx'
import { usePlace } from '../../session/place.ts'
import { useWords } from '../../words/language.tsx'

export function Events() {
  const { developers, shell } = useWords()
  const { events } = developers
  const { accountId } = usePlace()
  const [opened, setOpened] = useState<EventRow>()
  const pages = usePages<EventRow>(`accounts/${accountId}`, 'events')
  return (
    <div className="stack">
      <p className="soft">{events.lead}</p>
      <Card flush>
        <PagedRows
          label={events.type}
          pages={pages}
          keyOf={({ number }) => number}
          opens
          columns={[
            { heading: events.number, from: 'sm', cell: ({ number }) => <span className="soft">{number}</span> },
            {
              heading: events.type,
              cell: (event) => (
                <button type="button" className="opener plain" onClick={() => setOpened(event)}>
                  {event.type}
                </button>
              ),
            },
            {
              heading: events.payment,
              from: 'sm',
              cell: ({ paymentReference }) => (
                <Link
                  className="above mono"
                  to="/a/$accountId/payments/$reference"
                  params={{ accountId, reference: paymentReference }}
                >
                  {paymentReference}
                </Link>
              ),
            },
            {
              heading: developers.webhooks.when,
              at: 'end',
              isTight: true,
              cell: ({ createdAt }) => <When at={createdAt} />,
            },
          ]}
          empty={<Empty icon={<InboxIcon size={40} />} title={events.empty} help={events.emptyHelp} />}
        />
      </Card>
      <Modal
        opened={opened !== undefined}
        onClose={() => setOpened(undefined)}
        title={opened?.type}
        size="xl"
        closeButtonProps={{ 'aria-label': shell.close }}
      >
        <CodeBlock text={opened?.body ?? ''} name={events.body} />
      </Modal>
    </div>
  )
}
