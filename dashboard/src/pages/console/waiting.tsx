// Payments that wait too long: why, and when the operator is asked next.
import type { WaitingRow } from '../../../../server/src/dashboard-api/shapes.ts'
import { usePages } from '../../api/account.ts'
import * as format from '../../format.ts'
import { ClockIcon } from '../../parts/icons.tsx'
import { Card, Empty, PageTitle } from '../../parts/page.tsx'
import { PagedRows } from '../../parts/rows.tsx'
import { When } from '../../parts/when.tsx'
import { useWords } from '../../words/language.tsx'

export function Waiting() {
  const { console, shell } = useWords()
  const { waiting } = console
  const pages = usePages<WaitingRow>('console', 'waiting')
  return (
    <>
      <PageTitle title={waiting.title} />
      <Card flush>
        <PagedRows
          label={waiting.title}
          pages={pages}
          keyOf={({ reference }) => reference}
          columns={[
            {
              heading: waiting.payment,
              cell: ({ reference, merchantName, amount, operatorName, environment }) => (
                <>
                  <b>{format.amount(amount)}</b> · {operatorName}
                  <span className="sub">
                    {merchantName} · {shell[environment]}
                  </span>
                  <span className="sub mono">{reference}</span>
                </>
              ),
            },
            { heading: waiting.why, isBelow: true, cell: ({ why }) => waiting.reasons[why] ?? why },
            { heading: waiting.since, from: 'sm', isTight: true, cell: ({ createdAt }) => <When at={createdAt} /> },
            {
              heading: waiting.next,
              from: 'md',
              isTight: true,
              cell: ({ nextQuestionAt }) => (nextQuestionAt === null ? '–' : <When at={nextQuestionAt} />),
            },
          ]}
          empty={<Empty icon={<ClockIcon size={40} />} title={waiting.empty} />}
        />
      </Card>
    </>
  )
}
