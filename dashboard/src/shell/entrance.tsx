// The frame of the pages before signing in.
import { type ReactNode, useEffect } from 'react'
import { Mark } from '../parts/icons.tsx'
import { useWords } from '../words/language.tsx'
import { ChoicesMenu } from './person-menu.tsx'

export function Entrance({ title, lead, children }: { title: string; lead?: string; children: ReactNode }) {
  const { shell } = useWords()
  useEffect(() => {
    document.title = `${title} · ${shell.product}`
  }, [title, shell.product])
  return (
    <div className="entrance">
      <header>
        <ChoicesMenu />
      </header>
      <main>
        <div className="logo">
          <Mark size={34} /> {shell.product}
        </div>
        <section className="card">
          <h1>{title}</h1>
          {lead !== undefined && <p className="soft lead">{lead}</p>}
          {children}
        </section>
      </main>
    </div>
  )
}
