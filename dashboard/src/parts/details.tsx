// Facts as a list of names and values.
import type { ReactNode } from 'react'

export const Details = ({ children }: { children: ReactNode }) => <dl className="details">{children}</dl>

export const Detail = ({ name, children }: { name: string; children: ReactNode }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
)
