import type { ReactNode } from 'react'
import {
  type PublicPlaceholder,
  placeholder,
  publicPlaceholders,
} from '../../shared/placeholders.ts'
import { When } from '../built-pages/template.tsx'

/** The placeholder of each value that the server fills in: `values.price` becomes `$8`. */
export const values = Object.fromEntries(
  publicPlaceholders.map((name) => [name, placeholder(name)]),
) as Record<PublicPlaceholder, string>

/** Shows its content only if anyone, or anyone with certain email domains, can sign up. */
export function WhenSignupIsOpen({ children }: { children: ReactNode }) {
  return (
    <>
      <When is="signupOpen">{children}</When>
      <When is="signupDomains">{children}</When>
    </>
  )
}
