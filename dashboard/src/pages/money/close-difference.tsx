// The question before a difference is closed: what it was. The server has the list of reasons for
// each difference, and books the entry that follows.
import { NativeSelect, Textarea } from '@mantine/core'
import { useState } from 'react'
import type { DifferenceRow } from '../../../../server/src/dashboard-api/contract.ts'
import { useChange, useRead } from '../../api/account.ts'
import type { BooksBase } from '../../api/address.ts'
import { ask } from '../../api/client.ts'
import { formatSignedAmount } from '../../format.ts'
import { bound, Form, Send } from '../../parts/form.tsx'
import { Read } from '../../parts/page.tsx'
import { useWords } from '../../words/language.tsx'

interface CloseProps {
  base: BooksBase
  difference: DifferenceRow
  done(): void
}

/** Of a closed difference, another reason. */
export function CloseDifference({ base, difference: { differenceId, closed }, done }: CloseProps) {
  const { differences } = useWords().books
  const change = useChange(base)
  const reading = useRead(base, 'GET /books/differences/:differenceId/reasons', { differenceId })
  const [chosen, setChosen] = useState('')
  const act = closed === null ? 'close' : 'correct'
  return (
    <Read reading={reading}>
      {({ left, reasons }) => {
        const reason = reasons.find((each) => each.reason === chosen) ?? reasons[0]
        return (
          <Form
            done={closed === null ? differences.closed : differences.corrected}
            onSend={async ({ note = '' }) => {
              const said = { note, ...(reason !== undefined && { reason: reason.reason }) }
              await change(
                ask(base, `POST /books/differences/:differenceId/${act}`, {
                  differenceId,
                  ...said,
                }),
                'books',
                'money',
              )
              done()
            }}
          >
            {reason === undefined ? (
              <p>{differences.nothingLeft}</p>
            ) : (
              <>
                <p>
                  {left === 0
                    ? differences.inNoBooks
                    : differences.leftToExplain(formatSignedAmount(left))}
                </p>
                <NativeSelect
                  label={differences.whatItWas}
                  data={reasons.map((each) => ({ value: each.reason, label: each.name }))}
                  {...bound(reason.reason, setChosen)}
                />
                <p className="sub">{reason.about}</p>
              </>
            )}
            <Textarea
              name="note"
              label={differences.note}
              description={differences.noteHelp}
              rows={3}
              maxLength={300}
              required
            />
            <Send>{closed === null ? differences.close : differences.correct}</Send>
          </Form>
        )
      }}
    </Read>
  )
}
