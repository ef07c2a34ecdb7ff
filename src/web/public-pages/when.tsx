import type { ReactNode } from 'react'
import { type PublicCondition, publicSection } from '../../shared/public-slots.ts'

/** Content that a public page shows only where this condition is true: of the server, or of the browser. */
export function When({ is, children }: { is: PublicCondition; children: ReactNode }) {
  const { start, end } = publicSection(is)
  return (
    <>
      {start}
      {children}
      {end}
    </>
  )
}
