"""What other packages import from this one."""

from .charts import Series as Series, line_chart as line_chart, line_chart_png as line_chart_png
from .markup import Cell as Cell, Table as Table, format_value as format_value, render as render
from .page import anonymized_page as anonymized_page, scored_page as scored_page, to_html as to_html
from .report import (
    COLUMNS as COLUMNS,
    ORIGINALS as ORIGINALS,
    Report as Report,
    ReportVisibility as ReportVisibility,
    build_report as build_report,
    edit_rows as edit_rows,
    summary as summary,
    summary_line as summary_line,
    totals as totals,
)
