// The list of payments: newest first, one search box, filters, page by page, and the same as a file for Excel.
import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import type { PaymentRow } from '../../../server/src/dashboard-api/shapes.ts'
import { usePages } from '../api/account.ts'
import { getFile, query } from '../api/client.ts'
import * as format from '../format.ts'
import { DownloadIcon, PaymentsIcon, SearchIcon } from '../parts/icons.tsx'
import { useMessages } from '../parts/messages.tsx'
import { Card, Empty, PageTitle } from '../parts/page.tsx'
import { type Column, PagedRows } from '../parts/rows.tsx'
import { PaymentState } from '../parts/state.tsx'
import { When } from '../parts/when.tsx'
import { usePlace } from '../session/place.ts'
import { may } from '../session/session.ts'
import { useSpoken, useWords } from '../words/language.tsx'
import type { PaymentFilters } from './payment-filters.tsx'
import { PaymentFilterBar } from './payment-filters.tsx'

export function Payments() {
  const { words, language } = useSpoken()
  const { list } = words.money
  const { accountId, role } = usePlace()
  const filters = useSearch({ from: '/a/$accountId/payments' })
  const navigate = useNavigate({ from: '/a/$accountId/payments' })
  const pages = usePages<PaymentRow>(`accounts/${accountId}`, 'payments', asked(filters))
  const isFiltered = Object.keys(filters).length > 0
  const change = (next: PaymentFilters): void => void navigate({ to: '.', search: next, replace: true })
  return (
    <>
      <PageTitle title={list.title}>
        <ExportButton path={`accounts/${accountId}/payments.csv${query({ ...asked(filters), language })}`} />
      </PageTitle>
      <PaymentFilterBar filters={filters} change={change} />
      <Card flush>
        <PagedRows
          label={list.title}
          pages={pages}
          columns={useColumns(accountId)}
          keyOf={({ reference }) => reference}
          opens
          empty={
            isFiltered ? (
              <Empty icon={<SearchIcon size={40} />} title={list.noMatch} help={list.noMatchHelp}>
                <Button variant="light" onClick={() => change({})}>
                  {list.clear}
                </Button>
              </Empty>
            ) : (
              <Empty icon={<PaymentsIcon size={40} />} title={list.empty} help={list.emptyHelp}>
                {may(role, 'makeLinks') && (
                  <Button component={Link} to={`/a/${accountId}/links`}>
                    {words.money.home.makeLink}
                  </Button>
                )}
              </Empty>
            )
          }
        />
      </Card>
    </>
  )
}

/** As the server takes them: days become moments. */
const asked = ({ from, to, ...rest }: PaymentFilters): Record<string, string | number | undefined> => ({
  ...rest,
  from: from === undefined ? undefined : format.startOf(from),
  to: to === undefined ? undefined : format.endOf(to),
})

function useColumns(accountId: string): Column<PaymentRow>[] {
  const { list } = useWords().money
  return [
    {
      heading: list.payer,
      cell: ({ reference, payerName, msisdn, operatorName, createdAt }) => (
        <>
          <Link className="opener" to="/a/$accountId/payments/$reference" params={{ accountId, reference }}>
            {payerName ?? (msisdn === null ? list.unknownPayer : format.phone(msisdn))}
          </Link>
          <span className="sub parts">
            {payerName !== null && msisdn !== null && <span className="own-line">{format.phone(msisdn)}</span>}
            {operatorName !== null && <span>{operatorName}</span>}
            <span className="until-sm">
              <When at={createdAt} isShort />
            </span>
          </span>
        </>
      ),
    },
    {
      heading: list.reference,
      from: 'md',
      isTight: true,
      cell: ({ publicReference, transactionId }) => (
        <>
          <span className="mono">{publicReference}</span>
          {transactionId !== null && (
            <span className="sub cut" title={transactionId}>
              {transactionId}
            </span>
          )}
        </>
      ),
    },
    { heading: list.when, from: 'sm', isTight: true, cell: ({ createdAt }) => <When at={createdAt} /> },
    { heading: list.state, from: 'sm', cell: ({ status }) => <PaymentState status={status} /> },
    {
      heading: list.amount,
      at: 'end',
      isTight: true,
      cell: ({ amount, status }) => (
        <>
          <b>{format.amount(amount)}</b>
          <span className="sub until-sm">
            <PaymentState status={status} />
          </span>
        </>
      ),
    },
  ]
}

const KEPT_AS = 'payments.csv'

/** One export at a time; a refusal is said at the foot of the page. */
function ExportButton({ path }: { path: string }) {
  const { list } = useWords().money
  const { complain } = useMessages()
  const exporting = useMutation({
    mutationFn: () => getFile(path),
    onSuccess: (file) => {
      const address = URL.createObjectURL(file)
      Object.assign(document.createElement('a'), { href: address, download: KEPT_AS }).click()
      setTimeout(() => URL.revokeObjectURL(address), 60_000)
    },
    onError: complain,
  })
  return (
    <Button
      variant="default"
      leftSection={<DownloadIcon size={18} />}
      loading={exporting.isPending}
      onClick={() => exporting.mutate()}
    >
      {list.csv}
    </Button>
  )
}
