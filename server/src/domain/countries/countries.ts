// The countries of spec §2.1. A new country is a file in this folder and its line in this list.
import { BENIN } from './bj.ts'
import { NIGER } from './ne.ts'

export const LISTED = [NIGER, BENIN] as const
