"""What other packages import from this one."""

from .access import (
    ImportResult as ImportResult,
    format_day as format_day,
    import_log as import_log,
    parse_day as parse_day,
    parse_time_zone as parse_time_zone,
    read_groups as read_groups,
)
from .alert_text import describe_alert as describe_alert
from .answers import Answer as Answer, EntityAnswer as EntityAnswer
from .assessor import Assessor as Assessor
from .clearance import Clearance as Clearance, may as may
from .copies import CopyIndex as CopyIndex, copies_file as copies_file
from .exposure.attributes import AuthorExposure as AuthorExposure, Disclosed as Disclosed, Place as Place
from .exposure.authored import (
    Author as Author,
    AuthorColumns as AuthorColumns,
    AuthoredText as AuthoredText,
    parse_author as parse_author,
    read_all_authored as read_all_authored,
)
from .exposure.measure import ExposureMeter as ExposureMeter, measure_exposure as measure_exposure
from .exposure.rows import (
    EXPOSURE_COLUMNS as EXPOSURE_COLUMNS,
    AuthorLabels as AuthorLabels,
    author_row as author_row,
    exposure_rows as exposure_rows,
    exposure_table as exposure_table,
)
from .gate import Gate as Gate, Verdict as Verdict, masking_command as masking_command
from .labeled_documents import (
    LabeledDocuments as LabeledDocuments,
    Labels as Labels,
    describe_omissions as describe_omissions,
    read_labels as read_labels,
)
from .learning import learn as learn
from .ledger.chain import ChainHead as ChainHead
from .ledger.erase import erase_before as erase_before, erase_user as erase_user, vacuum as vacuum
from .ledger.lookups import scan_outcome as scan_outcome, summarize_documents as summarize_documents
from .ledger.records import DAY_MILLISECONDS as DAY_MILLISECONDS
from .ledger.report import (
    UserAlert as UserAlert,
    UserHistory as UserHistory,
    explained_alerts as explained_alerts,
    find_users as find_users,
)
from .ledger.store import Ledger as Ledger, read_ledger_key as read_ledger_key
from .ledger.verify import rebuild as rebuild, verify as verify
from .originals import NameHider as NameHider, reread_file as reread_file
from .page import VERIFY_COMMAND as VERIFY_COMMAND, to_html as to_html
from .policy import (
    FILE_NAME as FILE_NAME,
    Policy as Policy,
    check_policy as check_policy,
    read_policy as read_policy,
    write_template as write_template,
)
from .report import MAX_SHOWN as MAX_SHOWN, LeakReportOptions as LeakReportOptions, gather_findings as gather_findings
from .report_rows import to_csv as to_csv, to_dict as to_dict, to_text as to_text
from .scan import scan as scan
from .scan_plan import ScanFile as ScanFile, ScanPlan as ScanPlan
from .sensitivity import SENSITIVE_ABOVE as SENSITIVE_ABOVE, Markings as Markings, SensitivityModel as SensitivityModel
