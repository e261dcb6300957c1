// A share as a bar, with its words above.
import type { ReactNode } from 'react'

interface MeterProps {
  name: ReactNode
  value: ReactNode
  /** Between 0 and 1. */
  share: number
  tone?: 'good' | 'bad'
}

export function Meter({ name, value, share, tone }: MeterProps) {
  return (
    <div className="meter">
      <div>
        <span>{name}</span>
        <b>{value}</b>
      </div>
      <svg viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
        <rect className="ground" width="100" height="4" rx="1" />
        <rect className={`share ${tone ?? ''}`} width={Math.max(0, Math.min(1, share)) * 100} height="4" rx="1" />
      </svg>
    </div>
  )
}
