// The calls of the merchant's server, with what was answered. Bodies are not kept.
import { SegmentedControl } from '@mantine/core'
import { useState } from 'react'
import type { RequestRow } from '../../../../server/src/dashboard-api/shapes.ts'
import { usePages } from '../../api/account.ts'
import * as format from '../../format.ts'
import { CodeIcon } from '../../parts/icons.tsx'
import { Card, Empty } from '../../parts/page.tsx'
import { PagedRows } from '../../parts/rows.tsx'
import { State } from '../../parts/state.tsx'
import { When } from '../../parts/when.tsx'
import { usePlace } from '../../session/place.ts'
import { useWords } from '../../words/language.tsx'

export function Requests() {
  const { developers } = useWords()
  const { requests, webhooks } = developers
  const { accountId } = usePlace()
  const [status, setStatus] = useState('')
  const pages = usePages<RequestRow>(`accounts/${accountId}`, 'requests', { status })
  return (
    <div className="stack">
      <div className="lead-row">
        <p className="soft">{requests.lead}</p>
        <SegmentedControl
          aria-label={requests.status}
          value={status}
          onChange={setStatus}
          data={[
            { value: '', label: requests.any },
            { value: '4xx', label: requests.refused },
            { value: '5xx', label: requests.failed },
          ]}
        />
      </div>
      <Card flush>
        <PagedRows
          label={requests.request}
          pages={pages}
          keyOf={({ requestId }) => requestId}
          columns={[
            {
              heading: requests.request,
              cell: ({ method, path, errorCode, at }) => (
                <>
                  <b>{method}</b> <span className="mono">{path}</span>
                  {errorCode !== null && <span className="sub mono">{errorCode}</span>}
                  <span className="sub until-sm">
                    <When at={at} />
                  </span>
                </>
              ),
            },
            {
              heading: requests.id,
              from: 'md',
              cell: ({ requestId }) => <span className="mono soft">{requestId}</span>,
            },
            {
              heading: requests.took,
              from: 'sm',
              isTight: true,
              cell: ({ milliseconds }) => `${format.count(milliseconds)} ms`,
            },
            { heading: webhooks.when, from: 'sm', isTight: true, cell: ({ at }) => <When at={at} /> },
            {
              heading: requests.status,
              at: 'end',
              cell: (row) => (
                <State tone={row.status < 300 ? 'good' : row.status < 500 ? 'wait' : 'bad'}>{String(row.status)}</State>
              ),
            },
          ]}
          empty={<Empty icon={<CodeIcon size={40} />} title={requests.empty} help={requests.emptyHelp} />}
        />
      </Card>
    </div>
  )
}
