import type { ReactNode } from 'react'
import { type PublicCondition, publicSection } from '../../shared/public-placeholders.ts'

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

/** Shows its content only if the server lets anybody, or people of some domains, sign up. */
export function WhereSignupIsPossible({ children }: { children: ReactNode }) {
  return (
    <>
      <When is="signupOpen">{children}</When>
      <When is="signupDomains">{children}</When>
    </>
  )
}
