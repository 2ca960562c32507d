export interface Location {
    file: string;
    line: number;
    column: number;
}

export interface Diagnostic {
    code: string;
    level: "error" | "unsupported" | "warning" | "note" | "allow";
    message: string;
    location: Location | null;
    label: string;
    notes: string[];
    helps: { text: string }[];
}

export interface Compiled {
    diagnostics: Diagnostic[];
    entry: string | null;
    group_size: [number, number, number] | null;
    /** Whether `run` and `sweep` can run it. */
    runs: boolean;
}

export interface Finding extends Diagnostic {
    verdict: string;
    widths: number[];
    order: string | null;
}

export interface Swept {
    findings: Finding[];
    runs: number;
}

export interface Limits {
    /** Widths of waves; all of 4, 8, 16, 32, 64 and 128 without them. */
    widths?: number[];
    /** The most wave-instructions of a run. */
    fuel?: number;
}

/** One compiler with its last text. `flags` are words of the command line, such as `--groups 2 --bind Out=u32[64]`. */
export class Engine {
    ask(request: object): any;
    compile(text: string, flags?: string): Compiled;
    run(text: string, flags?: string, limits?: Limits): any;
    sweep(text: string, flags?: string, limits?: { fuel?: number }): Swept;
}
