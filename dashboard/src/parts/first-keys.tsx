// The sandbox keys of a new account, as the sign-up answered them. The secret is kept only in this tab's memory.
import { Button } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { FirstKeys } from '../../../server/src/dashboard-api/shapes.ts'
import { FIRST_KEYS, usePlace } from '../api/session.ts'
import { useWords } from '../words/language.tsx'
import { Card } from './page.tsx'
import { CodeBlock } from './values.tsx'

/** Nothing once the person has copied them, after a reload, and in another account. */
export function FirstKeysCard() {
  const { keys } = useWords()
  const { accountId } = usePlace()
  const client = useQueryClient()
  const { data } = useQuery<FirstKeys | null>({ queryKey: FIRST_KEYS, queryFn: () => null, staleTime: Infinity })
  if (data == null || data.accountId !== accountId) return null
  return (
    <Card title={keys.firstKeys}>
      <p className="soft lead">{keys.firstKeysLead}</p>
      <p className="small">{keys.kinds.public}</p>
      <CodeBlock text={data.publicKey} name={keys.kinds.public} />
      <p className="small">{keys.kinds.secret}</p>
      <CodeBlock text={data.secretKey} name={keys.kinds.secret} />
      <Button onClick={() => client.setQueryData(FIRST_KEYS, null)}>{keys.firstKeysCopied}</Button>
    </Card>
  )
}
