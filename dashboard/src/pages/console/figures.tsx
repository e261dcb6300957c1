// The figures of the service, of all its processes: the last hour, minute by minute.
import { useQuery } from '@tanstack/react-query'
import type { FiguresBody } from '../../../../server/src/dashboard-api/contract.ts'
import { read } from '../../api/client.ts'
import { formatCount, formatTime } from '../../format.ts'
import { LineChart, SuccessMeter } from '../../parts/charts.tsx'
import { FiguresIcon } from '../../parts/icons.tsx'
import { Card, Empty, PageTitle, Read } from '../../parts/page.tsx'
import { useOperatorName } from '../../parts/values.tsx'
import { useWords } from '../../words/language.tsx'

const AGAIN_MS = 15_000

export function Figures() {
  const { figures } = useWords()
  const reading = useQuery({
    queryKey: ['console', 'figures'],
    queryFn: ({ signal }) => read('console', 'GET /figures', {}, signal),
    refetchInterval: AGAIN_MS,
  })
  return (
    <>
      <PageTitle title={figures.title} />
      <p className="soft lead">{figures.lead}</p>
      <Read reading={reading}>{(body) => <Body body={body} />}</Read>
    </>
  )
}

function Body({ body: { minutes, operators } }: { body: FiguresBody }) {
  const { figures, home } = useWords()
  const operatorName = useOperatorName()
  if (minutes.length === 0)
    return (
      <Card>
        <Empty icon={<FiguresIcon size={40} />} title={figures.none} />
      </Card>
    )
  const sum = (name: 'created' | 'settled' | 'failed'): number =>
    minutes.reduce((all, each) => all + each[name], 0)
  const last = minutes.at(-1) as FiguresBody['minutes'][number]
  const labels = minutes.map(({ at }) => formatTime(at))
  const facts: [string, string][] = [
    [figures.created, formatCount(sum('created'))],
    [home.succeeded, formatCount(sum('settled'))],
    [home.failed, formatCount(sum('failed'))],
    [figures.backlog, formatCount(last.webhookBacklog)],
  ]
  return (
    <div className="grid">
      <Card>
        <dl className="facts wide">
          {facts.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd className="big">{value}</dd>
            </div>
          ))}
        </dl>
      </Card>
      <Card className="half" title={figures.perMinute}>
        <LineChart
          name={figures.perMinute}
          labels={labels}
          lines={[
            { name: figures.created, values: minutes.map(({ created }) => created) },
            { name: home.succeeded, values: minutes.map(({ settled }) => settled) },
          ]}
        />
      </Card>
      <Card className="half" title={figures.speed}>
        <LineChart
          name={figures.speed}
          labels={labels}
          unit="ms"
          lines={[
            { name: figures.p99, values: minutes.map(({ createP99 }) => createP99) },
            { name: figures.p50, values: minutes.map(({ createP50 }) => createP50) },
          ]}
        />
      </Card>
      <Card className="half" title={home.operators}>
        {operators.map(({ name, ...results }) => (
          <SuccessMeter key={name} name={operatorName(name)} {...results} />
        ))}
      </Card>
      <Card className="half" title={figures.backlog}>
        <LineChart
          name={figures.backlog}
          labels={labels}
          lines={[
            { name: figures.backlog, values: minutes.map(({ webhookBacklog }) => webhookBacklog) },
          ]}
        />
      </Card>
    </div>
  )
}
