import type { ComponentType } from 'react'
import { AuditSection } from './audit-section.tsx'
import { ChecksSection } from './checks-section.tsx'
import { FeedbackSection } from './feedback-section.tsx'
import { LimitsSection } from './limits-section.tsx'
import { MaintenanceSection } from './maintenance-section.tsx'
import { ReportsSection } from './reports-section.tsx'
import type { SectionProps } from './section.tsx'
import { SettingsSection } from './settings-section.tsx'
import { StatisticsSection } from './statistics-section.tsx'
import { UsersSection } from './users-section.tsx'

export interface AdminSection extends SectionProps {
  Section: ComponentType<SectionProps>
}

/** The sections of the Admin Center, in the order in which the page shows them. */
export const sections: readonly AdminSection[] = [
  { id: 'numbers', title: 'Numbers', Section: StatisticsSection },
  { id: 'checks', title: 'Checks', Section: ChecksSection },
  { id: 'users', title: 'Users', Section: UsersSection },
  { id: 'maintenance', title: 'Maintenance', Section: MaintenanceSection },
  { id: 'reports', title: 'Reports', Section: ReportsSection },
  { id: 'settings', title: 'Settings', Section: SettingsSection },
  { id: 'limits', title: 'Limits', Section: LimitsSection },
  { id: 'feedback', title: 'Feedback', Section: FeedbackSection },
  { id: 'audit', title: 'Audit log', Section: AuditSection },
]
