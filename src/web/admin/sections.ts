import type { ComponentType } from 'react'
import type { SectionProps } from './section.tsx'
import { StatisticsSection } from './statistics-section.tsx'

interface AdminSection extends SectionProps {
  Section: ComponentType<SectionProps>
}

/** The sections of the Admin Center, in the order of the page. */
export const sections: readonly AdminSection[] = [
  { id: 'numbers', title: 'Numbers', Section: StatisticsSection },
]
