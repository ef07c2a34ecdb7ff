import type { ReactNode } from 'react'
import { type PublicCondition, publicSection } from '../../shared/public-slots.ts'

/** Content that a public page shows only if this condition of the server or the browser is true. */
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
